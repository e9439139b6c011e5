package io.memorygateway.ops;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.memorygateway.CommandLine;
import io.memorygateway.database.Migrations;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §9: wrong configuration stops the start with one line that names key and fault. */
class StartFailureTest {
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  @TempDir Path folder;

  /** A change to config.yml, and what the one line has to say. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/providers/openai/endpoints | [chat, zebra]      | providers.openai.endpoints | zebra",
        "/providers/openai/endpoints | []                 | providers.openai | endpoints is missing",
        "/providers/openai/endpoints | null               | providers.openai | endpoints is missing",
        "/providers/openai/baseUrl   | zebra              | providers.openai | baseUrl must be a URL",
        "/providers/openai/baseUrl   | ftp://example.com  | providers.openai | baseUrl must be a URL",
        "/providers/openai/baseUrl   | 'http://exa mple'  | providers.openai | baseUrl must be a URL",
        "/providers/openai/baseUrl   | ''                 | providers.openai | baseUrl is missing",
        "/providers/openai/baseUrl   | 'http://a:99999/v1' | providers.openai | baseUrl must be a URL",
        "/providers/openai/baseUrl   | 'http://a:0/v1'    | providers.openai | baseUrl must be a URL",
        "/providers/openai/proxy     | 'http://a:99999'   | providers.openai | proxy must be the address",
        "/providers/google/pathPrefix | v1                | providers.google | pathPrefix must be a path",
        "/providers/google/pathPrefix | '/v1?a=b'         | providers.google | pathPrefix must be a path",
        "/providers/openai/keyHeader | zebra              | providers.openai | keyHeader must be one of",
        "/providers/openai/zebra     | 1                  | providers.openai.zebra | nrecognized",
        "/providers/openai/idleTimeout | 0s               | providers.openai | idleTimeout",
        "/providers/openai/idleTimeout | zebra            | providers.openai.idleTimeout | uration",
        "/providers/openai/maxConnections | many          | providers.openai.maxConnections | a whole number",
        "/admin/allowedHosts         | ['http://zebra:1'] | admin.allowedHosts | is not a host's name",
        "/admin/zebra                | 1                  | admin.zebra | nrecognized",
        "/admin                      | null               | admin | is empty",
        "/admin/auth                 | null               | admin.auth | is empty",
        "/admin/auth                 | {mode: headers, headers: {user: 'X-User:', secret: 0123456789abcdef, roles: {a: owner}}} | admin.auth.headers | the names of three headers",
        "/admin/auth                 | {mode: headers, headers: {groups: x-forwarded-user, secret: 0123456789abcdef, roles: {a: owner}}} | admin.auth.headers | the names of three headers",
        "/admin/auth                 | {mode: headers, headers: {secret: ' 0123456789abcdef', roles: {a: owner}}} | admin.auth.headers | without blanks",
        "/memory/sessions            | ['thread id']      | memory.sessions | not the name of a header",
        "/memory/sideCalls           | {a: {header: 'x:'}} | memory.sideCalls.a | the name of a header",
        "/memory/sideCalls           | {a: {system: b, thread: 'x y'}} | memory.sideCalls.a | the name of a header",
        "/memory/compactions         | [' ']              | memory.compactions | blank",
        "/memory/compactions         | ['^']              | memory.compactions | blank",
        "/health/healthChecks        | [{name: database}, {name: database}] | health | database stands there twice",
        "/health/healthChecks/0/schedule/checkInterval | 0s | health | more than 0",
        "/health/healthCheckUrlPaths | [ready]            | health | begins with /",
        "/metrics                    | {frequency: 0s}    | metrics | more than 0",
        "/metrics                    | {reporters: [{type: log, frequency: 0s}]} | metrics | more than 0",
        "/slowRequests/bodyGrace     | 0s                 | slowRequests | must be more than 0",
        "/slowRequests/minBodyRate   | 0B                 | slowRequests | must be more than 0",
        "/slowRequests/headTimeout   | zebra              | slowRequests.headTimeout | uration",
        "/concurrency/minimum        | 0                  | concurrency | must be more than 0",
        "/concurrency/minimum        | many               | concurrency.minimum | a whole number",
        "/concurrency/maxWait        | 0s                 | concurrency | must be more than 0",
        "/zebra                      | 1                  | zebra | nrecognized",
        "/rateLimits/onStorageFailure | allow             | rateLimits.onStorageFailure | one of local, deny",
        "/rateLimits/rules/global/appliesTo | chat        | global.appliesTo | all, llm, memory, memory_read",
        "/rateLimits/rules/global/limit | 0               | rateLimits.rules[global].limit | at least 1",
        "/rateLimits/rules           | [a]                | rateLimits.rules | a map of names",
        "/observation                | 5                  | observation | keys of its own",
        "/observation/callTimeout    | 2                  | observation.callTimeout | such as 2s",
        "/observation/callTimeout    | two minutes        | observation.callTimeout | such as 2s",
        "/observation/timeZone       | Europe/Berln       | observation.timeZone | Europe/Berlin",
        "/observation/minShare       | much               | observation.minShare | a number",
        "/observation/timeMarks      | sometimes          | observation.timeMarks | true or false",
        "/budgets                    | {rules: [{limit: much}]} | budgets.rules.[0].limit | a number",
        "/budgets                    | {rules: [{limit: [1]}]} | budgets.rules.[0].limit | a number",
        "/budgets                    | {rules: [{window: [day]}]} | budgets.rules.[0].window | a text",
        "/budgets                    | {rules: [{window: 5}]} | budgets.rules.[0].window | a text",
        "/budgets                    | {rules: [{window: 2y}]} | budgets.rules.[0].window | from 1m to 31d",
        "/budgets                    | {rules: [{unit: [usd]}]} | budgets.rules.[0].unit | one of tokens, usd",
        "/budgets                    | {rules: 5}           | budgets.rules | a list",
        "/budgets                    | {assumedOutput: much} | budgets.assumedOutput | a whole number",
        "/cors                       | {allowedOrigins: a} | cors.allowedOrigins | a list",
        "/providers/anthropic/baseUrl | 'http://a/v1/messages/' | providers.anthropic | leave out /messages",
        "/providers/openai/baseUrl   | 'http://a/v1/chat/completions' | providers.openai | leave out /chat/completions",
        "/providers/anthropic/baseUrl | 'http://a/v1'     | providers.anthropic | leave out /v1",
        "/providers/google/unprefixedModels | ['gpt-*']    | providers.google.unprefixedModels | of openai already",
        "/server/applicationConnectors/0/type | htps       | applicationConnectors.[0] | http, https",
        "/database/url               | 'jdbc:mysql://a:3306/' | database.url | names no schema",
        "/database/url               | 'jdbc:mysql://a,b?x=y' | database.url | names no schema",
        "/database/url               | 'jdbc:mysql://a:zebra/x' | database.url | the port must be",
        "/database/url               | 'jdbc:mysql://a:1,b:99999/x' | database.url | the port must be",
        "/database/url               | 'jdbc:mysql://u:p@a:0/x' | database.url | the port must be",
        "/database/url               | 'jdbc:mysql://(host=a,port=z)/x' | database.url | the port must be",
        "/database/url               | 'jdbc:mysql://a/x?sslMode=ZEBRA' | database.url | sslMode must be one of DISABLED",
        "/database/url               | 'jdbc:mysql://a/x?sslMode' | database.url | sslMode must be one of",
        "/database/url               | 'jdbc:mysql://a/x?useSSL=maybe' | database.url | useSSL must be one of TRUE, FALSE",
        "/database/url               | 'jdbc:mysql://a,b/x?maxQuerySizeToLog=soon' | database.url | maxQuerySizeToLog must be a whole number",
        "/database/url               | 'jdbc:mysql://a/x?=zebra' | database.url | parameters cannot be read",
        "/database/url               | 'jdbc:mysql://a/x?useConfigs=zebra' | database.url | template named 'zebra'",
        "/database/url               | 'jdbc:mysql://a/x?propertiesTransform=zebra' | database.url | properties transform class",
        "/database/url               | 'jdbc:mysql://a/x?socketFactory=zebra.F' | database.url | names the class zebra.F",
        "/database/url               | 'jdbc:mysql://a/x?queryInterceptors=zebra' | database.url | names the class zebra,",
        "/database/properties        | {sslMode: ZEBRA}   | database.properties | sslMode must be one of",
        "/database/url               | 'jdbc:mysql://a/x?defaultFetchSize=z' | database.url | defaultFetchSize must be a whole number",
        "/database/url               | 'jdbc:mysql://a/x?socksProxyPort=70000' | database.url | socksProxyPort must be a whole number from 0 to 65535",
        "/server/adminConnectors/0/port | 8080             | server | two connectors have the port 8080",
        "/server/adminConnectors     | [{type: http, port: 1, bindHost: localhost}, {type: http, port: 1, bindHost: '::ffff:127.0.0.1'}] | server | two connectors have the port 1",
        "/server/applicationConnectors | [{type: http, port: 8081, bindHost: 0.0.0.0}] | server | two connectors have the port 8081",
        "/server/applicationConnectors/0/bindHost | 'http://zebra' | server | the bindHost http://zebra is no address",
        "/server/applicationConnectors/0/selectorThreads | 5000 | server | leave none of maxThreads",
        "/server/applicationConnectors | null             | server.applicationConnectors | is empty",
        "/server/adminConnectors     | null               | server.adminConnectors | is empty",
        "/server/rootPath            | api                | server | rootPath must begin with /",
        "/database/autoCommitByDefault | false            | database | autoCommitByDefault",
        "/database/readOnlyByDefault | true               | database | readOnlyByDefault",
        "/database/validationInterval | null              | database.validationInterval | is empty; give it a value",
        "/database/properties        | null               | database.properties | is empty; give it a value",
        "/server                     | null               | server | is empty",
        "/server/adminConnectors     | [{port: 1}]        | server.adminConnectors.[0] | type is missing",
        "/database/homes             | []                 | database.homes | there has to be one",
        "/database/maxSize           | 0                  | database | maxSize must be at least 1",
        "/database/maxSize           | '\"\"'             | database.maxSize | a whole number",
        "/database/initialSize       | -1                 | database | initialSize at least 0",
        "/admin/healthChecks         | {maxThreads: 0}    | admin.healthChecks | maxThreads must be at least 1",
        "/admin/healthChecks         | {workQueueSize: 0} | admin.healthChecks | workQueueSize from 1",
        "/logging/appenders/0/layout/format | null        | logging.appenders.[0].layout.format | is empty",
        "/auth/zebra                 | 1                  | auth.zebra | nrecognized",
        "/auth/failuresPerMinute     | 0                  | auth | failuresPerMinute must be at least",
        "/auth/failuresPerMinute     | often              | auth.failuresPerMinute | a whole number",
        "/auth/failuresPerMinute     | 99.5               | auth.failuresPerMinute | a whole number",
        "/rateLimits/rules/global/limit | 10.7            | rules.global.limit | a whole number",
        "/database/maxSize           | 24.5               | database.maxSize | a whole number",
        "/usage/requestLog           | 2                  | usage.requestLog | true or false",
        "/maxRequestBody             | zebra              | maxRequestBody | size with its unit",
        "/maxRequestBody             | 0MiB               | maxRequestBody | must be",
        "/maxBodiesInWork            | 0MiB               | maxBodiesInWork | must be",
        "/providers/openai/apiKey    | 'sk zebra'         | providers.openai | apiKey must be",
        "/providers/openai/apiKey    | sk-zébra           | providers.openai | apiKey must be",
        "/providers/openai/baseUrl   | 'http://a:b@c/v1'  | providers.openai | baseUrl must be a URL",
        "/rateLimits/rules/llm_burst/window | 1500ms      | rateLimits.rules[llm_burst] | whole seconds",
        "/rateLimits/rules/zebra     | {limit: 1}         | rateLimits.rules[zebra] | needs appliesTo",
        "/database/driverClass       | zebra.Driver       | database.driverClass | no such class",
        "/logging/level              | ZEBRA              | logging | level must be one of OFF",
        "/logging/loggers            | {org.zebra: LOUD}  | logging | org.zebra must be one of OFF",
        "/logging/loggers            | {org.eclipse: DEBUG} | logging | org.eclipse.jetty must be INFO",
        "/logging/loggers            | {org.eclipse.jetty.http: {level: TRACE}} | org.eclipse.jetty.http | INFO",
        "/logging                    | {level: DEBUG}     | logging | org.eclipse.jetty must be INFO",
        "/usage/retention            | 1s                 | usage | retention must be at least",
        "/shutdown/gracePeriod       | zebra              | shutdown.gracePeriod | duration with its unit",
        "/logging/appenders/0/layout/format | zebra       | logging.appenders.[0].layout.format | text or json",
        "/defaultProvider            | zebra              | defaultProvider | is not the name",
        "/defaultProvider            | null               | defaultProvider | null",
        "/providers                  | null               | defaultProvider | is not the name",
        "/server/type                | zebra              | server | of one of the types default, simple",
        "/server/requestLog          | {type: zebra}      | server.requestLog | of one of the types",
        "/logging/type               | zebra              | logging | of one of the types default, external",
        "/health/type                | zebra              | health | of one of the types default",
        "/health/responder           | {type: zebra}      | health.responder | of one of the types servlet",
        "/health/responseProvider    | {type: zebra}      | health.responseProvider | of one of the types",
        "/server/zebra               | 1                  | server.zebra | nrecognized",
        "/server/applicationConnectors/0/port | zebra     | server.applicationConnectors.[0].port | a whole number",
        "/server/applicationConnectors/0/uriCompliance | ZEBRA | uriCompliance | not the name of a mode",
        "/database/url               | null               | database.url | is empty",
        "/database/url               | zebra              | database.url | not the address of a MySQL",
        "/database/url               | jdbc:mysql:zebra   | database.url | not the address of a MySQL",
        "/database/url               | 'jdbc:postgresql://localhost/x' | database.url | not the address",
        "/database/password          | '${ZEBRA}'         | database.password | ZEBRA",
      })
  void oneLineNamesTheKeyAndTheFault(String pointer, String value, String key, String fault)
      throws Exception {
    assertSays(gateway().run("server", configured(pointer, value)), key, fault);
  }

  /** The shipped configuration with a value, in YAML, at a JSON pointer. */
  private String configured(String pointer, String value) throws Exception {
    return CommandLine.config(
        folder,
        config -> {
          int slash = pointer.lastIndexOf('/');
          ObjectNode parent = (ObjectNode) config.at(pointer.substring(0, slash));
          parent.set(pointer.substring(slash + 1), yaml(value));
        });
  }

  @Test
  void aMissingDatabaseAddressIsNamedWithItsVariable() {
    assertSays(new CommandLine().run("server", "config.yml"), "database.url", "DATABASE_URL");
    assertSays(new CommandLine().run("key", "list", "config.yml"), "database.url", "DATABASE_URL");
    assertSays(
        new CommandLine().run("db", "migrate", "config.yml"), "database.url", "DATABASE_URL");
  }

  @Test
  void aFileThatIsNotNamedIsAskedFor() {
    for (String command : new String[] {"server", "check", "key list", "db status"}) {
      assertSays(gateway().run(command.split(" ", -1)), "config.yml", "last argument");
    }
  }

  @Test
  void aVariableThatHoldsNonsenseIsNamedByItsKey() {
    CommandLine wrong = gateway().with("GATEWAY_PORT", "zebra");
    assertSays(
        wrong.run("server", "config.yml"),
        "server.applicationConnectors.[0].port",
        "a whole number");
    assertSays(
        wrong.run("check", "config.yml"),
        "server.applicationConnectors.[0].port",
        "a whole number");
  }

  @Test
  void aFileThatIsNotThereOrNoYamlIsNamed() throws Exception {
    assertSays(gateway().run("server", "zebra.yml"), "zebra.yml", "not found");
    Path file = folder.resolve("broken.yml");
    Files.writeString(file, "server: [zebra\n  - : }");
    assertSays(gateway().run("server", file.toString()), "YAML", "line: 2");
    Files.writeString(file, "maxRequestBody: 1MiB\nserver: {}\nmaxRequestBody: 2MiB\n");
    assertSays(gateway().run("server", file.toString()), "maxRequestBody", "uplicate");
    Files.writeString(file, "");
    assertSays(gateway().run("server", file.toString()), "broken.yml", "empty");
    Files.writeString(file, "- a\n- list\n");
    assertSays(gateway().run("server", file.toString()), "", "");
  }

  /** A change to config.yml with control characters in it, and how the one line shows them. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/providers           | {\"a\\nb\": {baseUrl: 'http://a', endpoints: [chat], zebra: 1}}   | providers.a\\nb.zebra | nrecognized",
        "/budgets             | {\"ze\\nbra\": 1}         | budgets.ze\\nbra | nrecognized",
        "/budgets             | {rules: [{\"a\\r\\e[1m\": 1}]} | rules.[0].a\\r\\u001b[1m | nrecognized",
        "/rateLimits/rules    | {\"a\\nb\": {limit: x}}   | rules.a\\nb.limit | a whole number",
        "/rateLimits/rules    | {\"a\\nb\": {limit: 1}}   | rules[a\\nb] | needs appliesTo",
        "/prices              | {\"a/b\\n\\nc\": {input: -1}} | a/b\\n\\nc | input",
        "/prices              | {\"a\\L\\Pb\": {input: 1}}   | a\\u2028\\u2029b | price",
        "/logging/loggers     | {\"a\\nb\": LOUD}         | a\\nb | must be one of OFF",
        "/database/password   | \"${ZE\\nBRA}\"           | database.password | ZE\\nBRA, which is not set",
        "/defaultProvider     | \"ze\\nbra\"              | defaultProvider | is not the name",
      })
  void controlCharactersAreToldAsEscapes(String pointer, String value, String shown, String fault)
      throws Exception {
    String file = configured(pointer, value);
    assertSays(gateway().run("server", file), shown, fault);
    assertSays(gateway().run("check", "--database", "no", file), shown, fault);
  }

  @Test
  void namesWithControlCharactersAreShownInOneLine() throws Exception {
    assertSays(gateway().run("server", "ze\nbra.yml"), "ze\\nbra.yml", "not found");
    assertSays(gateway().run("ser\nver", "config.yml"), "ser\\nver", "no command");
    assertSays(gateway().run("price", "show", "ze\nbra", "config.yml"), "ze\\nbra", "No price");
    String file =
        CommandLine.config(
            folder,
            config ->
                config
                    .withObject("/budgets")
                    .putArray("rules")
                    .addObject()
                    .put("name", "zebra")
                    .put("unit", "tokens")
                    .put("limit", 1)
                    .put("window", "day")
                    .put("appliesTo", "key")
                    .putArray("models")
                    .add("ze\nbra/*"));
    assertThat(gateway().run("check", "--database", "no", file).out()).contains("ze\\nbra/*");
  }

  @Test
  void commandsAreSpelledOut() {
    assertThat(gateway().run("serve", "config.yml").failure())
        .contains("no command 'serve'", "check", "db", "server");
    assertThat(gateway().run("key", "iss", "config.yml").failure())
        .contains("no command 'key iss'", "issue");
    assertThat(gateway().run("thread", "imp", "config.yml").failure()).contains("import");
    assertThat(gateway().run("audit", "v", "config.yml").failure()).contains("verify");
    assertThat(gateway().run("db", "drop", "config.yml").failure()).contains("drop-all");
    assertThat(gateway().run("db", "--help").out()).contains(Migrations.ACTIONS);
  }

  /** What a start finds only when everything is built, {@code check} finds without a database. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/health/healthChecks/0/name | migration        | health.healthChecks | there is no check migration",
        "/observation/model          | foo/bar          | observation.model | no provider that has a key",
        "/observation/model          | gpt-5-mini       | observation.model | no provider that has a key",
        "/providers/open~1ai         | {baseUrl: 'http://a', endpoints: [chat]} | providers | has no slash",
        "/providers/bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb | {baseUrl: 'http://a', endpoints: [chat]} | providers | 1 to 64 characters",
        "/providers/\u200b | {baseUrl: 'http://a', endpoints: [chat]} | providers | one of them visible",
        "/routes/\u200b | {groups: [[{to: openai/a}]]} | routes | one of them visible",
        "/modelAliases/a\u202e | openai/a | modelAliases | turns the direction",
        "/modelAliases/zebra         | openai/            | modelAliases.zebra | neither a route nor a provider/model",
        "/server/gzip/excludedPaths  | ['^(']             | server | Unclosed group",
        "/search/embeddingModel      | foo/bar          | search.embeddingModel | must be provider/model",
        "/search/embeddingInputType  | document         | search | must be query/passage",
      })
  void checkBuildsWhatAStartBuilds(String pointer, String value, String key, String fault)
      throws Exception {
    String file =
        CommandLine.config(
            folder,
            config -> {
              int slash = pointer.lastIndexOf('/');
              ObjectNode parent =
                  "/health/healthChecks/0".equals(pointer.substring(0, slash))
                      ? (ObjectNode) config.at("/health/healthChecks/0")
                      : config.withObject(pointer.substring(0, slash));
              parent.set(pointer.substring(slash + 1).replace("~1", "/"), yaml(value));
            });

    assertSays(gateway().run("check", "--database", "no", file), key, fault);
  }

  @Test
  void aLongValidationIntervalIsReplacedAndCheckSaysSo() throws Exception {
    String file =
        CommandLine.config(
            folder, config -> ((ObjectNode) config.get("database")).remove("validationInterval"));
    CommandLine.Outcome outcome = gateway().run("check", "--database", "no", file);
    assertThat(outcome.status()).as(outcome.err()).isZero();
    assertThat(outcome.out()).contains("database.validationInterval: 30 seconds counts as 5");
  }

  @Test
  void theShippedConfigurationPasses() {
    CommandLine.Outcome outcome = gateway().run("check", "--database", "no", "config.yml");
    assertThat(outcome.status()).as(outcome.err()).isZero();
    assertThat(outcome.err()).isEmpty();
  }

  private static CommandLine gateway() {
    return new CommandLine().with("DATABASE_URL", "jdbc:mysql://127.0.0.1:1/gateway");
  }

  private static void assertSays(CommandLine.Outcome outcome, String key, String fault) {
    assertThat(outcome.failure())
        .contains(key)
        .contains(fault)
        .doesNotContain("io.memorygateway", "io.dropwizard", "java.", "Exception", "`");
    assertThat(outcome.out()).isEmpty();
  }

  private static com.fasterxml.jackson.databind.JsonNode yaml(String text) {
    try {
      return YAML.readTree(text == null ? "''" : text);
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
