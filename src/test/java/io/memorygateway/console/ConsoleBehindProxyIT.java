package io.memorygateway.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.Browser;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.LoginProxy;
import io.memorygateway.testing.TestBrowser;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Contract §12: the console where a proxy says who the operator is ({@code admin.auth: headers}).
 */
@Tag("heavy")
class ConsoleBehindProxyIT {
  @RegisterExtension static final TestBrowser BROWSER = new TestBrowser();
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension static final TestGateway GATEWAY = behind("127.0.0.1");

  /** Its proxy is elsewhere. */
  @RegisterExtension static final TestGateway ELSEWHERE = behind("192.0.2.1");

  private static final String SECRET = "the-proxy-and-we-know-this";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int FAILURES_ALLOWED = 3;

  @AutoClose private static LoginProxy proxy;
  @AutoClose private static LoginProxy unknownProxy;

  private static TestGateway behind(String address) {
    return new TestGateway(DATABASE, UPSTREAM)
        .withoutKey()
        .configured(
            config -> {
              ObjectNode auth = ((ObjectNode) config.get("admin")).putObject("auth");
              auth.put("mode", "headers").put("failuresPerMinute", FAILURES_ALLOWED);
              ObjectNode headers = auth.putObject("headers").put("secret", SECRET);
              headers.putArray("proxies").add(address);
              headers
                  .putObject("roles")
                  .put("platform", "owner")
                  .put("on-call", "operator")
                  .put("support", "viewer");
            });
  }

  @BeforeAll
  static void start() throws Exception {
    proxy = new LoginProxy(GATEWAY.adminUrl());
    unknownProxy = new LoginProxy(ELSEWHERE.adminUrl());
  }

  private static Map<String, String> login(String user, String groups) {
    return Map.of(
        "X-Gateway-Proxy-Secret", SECRET, "X-Forwarded-User", user, "X-Forwarded-Groups", groups);
  }

  @Test
  void aBrowserSeesAndDoesWhatTheGroupsAllow() throws Exception {
    Browser browser = BROWSER.get();
    browser.show(1440, 900, false);
    proxy.login(login("eve", "support"));
    browser.open("about:blank");
    browser.open(proxy.url() + "/#/keys");
    browser.awaitText("eve");
    browser.awaitText("viewer");
    assertThat(issuing(browser)).isEqualTo("true This needs the role owner.");

    proxy.login(login("ada", "support, platform"));
    browser.open("about:blank");
    browser.open(proxy.url() + "/#/keys");
    browser.awaitText("ada");
    browser.awaitText("owner");
    assertThat(issuing(browser)).startsWith("false");
    assertThat(browser.text()).doesNotContain("Admin token");
  }

  private static String issuing(Browser browser) throws Exception {
    browser.awaitText("Issue a key");
    return browser
        .run(
            "const b = [...document.querySelectorAll('button')]"
                + ".find(b => b.innerText === 'Issue a key');"
                + "return b.disabled + ' ' + b.title;")
        .asText();
  }

  @Test
  void theRoleOfEveryRequestIsThatOfItsGroups() throws Exception {
    proxy.login(login("eve", "support"));
    assertThat(send(proxy, "GET", "/admin/api/me").body()).contains("\"eve\"", "\"viewer\"");
    ErrorEnvelope.check(
        send(proxy, "POST", "/admin/api/keys", "X-Forwarded-Groups", "platform"),
        403,
        "invalid_request_error");
    proxy.login(login("kim", "support,on-call"));
    assertThat(send(proxy, "GET", "/admin/api/me").body()).contains("\"kim\"", "\"operator\"");
    proxy.login(login("ada", "platform"));
    HttpResponse<String> issued = send(proxy, "POST", "/admin/api/keys");
    assertThat(issued.statusCode()).as(issued.body()).isEqualTo(201);
    assertThat(
            JSON.readTree(send(proxy, "GET", "/admin/api/audit?action=key-issue&limit=1").body())
                .at("/rows/0/actor")
                .asText())
        .isEqualTo("ada");
  }

  /** The page itself says nothing, but a proxy that is not believed is told so at once. */
  @Test
  void whoIsNotTheProxyGetsNothing() throws Exception {
    unknownProxy.login(login("ada", "platform"));
    for (String path : new String[] {"/", "/console/app.js", "/admin/api/me", "/metrics"}) {
      HttpResponse<String> refused = send(unknownProxy, "GET", path);
      assertThat(refused.statusCode()).as(path).isIn(401, 429);
      assertThat(refused.body()).doesNotContain("ada", SECRET);
      assertThat(
              GATEWAY
                  .send(HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + path)))
                  .statusCode())
          .isEqualTo(401);
    }
  }

  @Test
  void anOperatorWithoutARoleSlowsDownNobodyElse() throws Exception {
    proxy.login(login("mallory", "strangers"));
    for (int i = 0; i < 5 * FAILURES_ALLOWED; i++) {
      HttpResponse<String> refused = send(proxy, "GET", "/admin/api/me");
      ErrorEnvelope.check(refused, 403, "invalid_request_error");
      assertThat(refused.body()).contains("mallory", "strangers").doesNotContain("platform");
      assertThat(send(proxy, "GET", "/metrics").statusCode()).isEqualTo(403);
    }
    Browser browser = BROWSER.get();
    browser.open("about:blank");
    browser.open(proxy.url() + "/#/keys");
    browser.awaitText("mallory has no role here: none of the groups strangers has one");
    assertThat(browser.text()).doesNotContain("Admin token", "Issue a key");
    proxy.login(login("eve", "support"));
    for (int i = 0; i < 20; i++) {
      assertThat(send(proxy, "GET", "/admin/api/me").statusCode()).isEqualTo(200);
    }
  }

  private static HttpResponse<String> send(
      LoginProxy through, String method, String path, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(through.url() + path))
            .method(
                method,
                method.equals("GET")
                    ? BodyPublishers.noBody()
                    : BodyPublishers.ofString("{\"project\":\"p\",\"name\":\"n\"}"))
            .header("Content-Type", "application/json");
    if (headers.length > 0) {
      request.headers(headers);
    }
    return GATEWAY.send(request);
  }
}
