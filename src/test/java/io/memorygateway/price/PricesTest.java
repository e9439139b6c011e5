package io.memorygateway.price;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.memorygateway.price.Prices.Model;
import io.memorygateway.price.Prices.Price;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;

/** Models are found, and cost what the package says that the table is made of. */
class PricesTest {
  private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");
  private static final String NO_ADDRESS = "http://127.0.0.1:8000";
  private static final Path META = Path.of("src/main/resources/META-INF");

  private final PriceTable table = new PriceTable();

  /** Made by ops/prices/expect. */
  @ParameterizedTest
  @CsvFileSource(resources = "/prices/expected.csv", numLinesToSkip = 1)
  void aCallCostsWhatThePackageCalculates(
      String seller,
      String address,
      String model,
      Instant time,
      String serviceTier,
      long input,
      long cached,
      long written5m,
      long written1h,
      long audioInput,
      long output,
      long reasoning,
      long audioOutput,
      Long cost) {
    Prices prices =
        new Prices(table, Map.of(), Map.of(seller, address == null ? NO_ADDRESS : address));
    Price price = prices.find(new Model(seller, model), time);
    Tokens tokens =
        new Tokens(input, cached, written5m, written1h, audioInput, output, reasoning, audioOutput);

    assertThat(price == null ? null : price.price().cost(tokens, serviceTier)).isEqualTo(cost);
    if (price != null) {
      assertThat(price.price().dearest(Tokens.upTo(input + 1, output), serviceTier))
          .isGreaterThanOrEqualTo(cost);
    }
  }

  /** Also those that no other test looks for. */
  @Test
  void everySellerOfTheTableCanBeRead() throws IOException {
    List<String> lines = Files.readAllLines(Path.of("src/main/resources/prices/table.jsonl"));
    ObjectMapper json = new ObjectMapper();
    int sellers = 0;
    for (int i = 1; i < lines.size(); i += 2) {
      String seller = json.readTree(lines.get(i)).path("id").asText();
      for (JsonNode model : json.readTree(lines.get(i + 1))) {
        TableModel read = TableModel.read(seller, model);
        assertThat(read.schedule()).as(read.id()).hasSameSizeAs(model.path("prices"));
      }
      sellers++;
    }
    assertThat(sellers).isGreaterThan(40);
  }

  @Test
  void theNoticeAndTheSbomNameThePackageOfTheTable() throws IOException {
    assertThat(table.title()).isEqualTo("genai-prices " + table.version() + " of " + table.date());
    assertThat(Files.readString(META.resolve("THIRD-PARTY-prices.txt")))
        .contains("(MIT) genai-prices " + table.version() + "\n", "The MIT License", "Copyright");
    JsonNode sbom = new ObjectMapper().readTree(META.resolve("sbom/prices.cdx.json").toFile());
    assertThat(sbom.at("/components/0/purl").asText())
        .isEqualTo("pkg:pypi/genai-prices@" + table.version());
  }

  @Test
  void theConfigurationCountsBeforeTheTableAndZeroIsAPrice() {
    Prices prices =
        prices("{openai/gpt-4o: {input: 1, output: 2}, vllm/qwen3: {input: 0, output: 0}}");

    Price own = prices.find(new Model("openai", "gpt-4o"), NOW);
    assertThat(prices.source(own)).isEqualTo("config");
    assertThat(own.price().cost(Tokens.of(1, 1), null)).isEqualTo(3_000_000);
    assertThat(prices.source(prices.find(new Model("openai", "gpt-4o-mini"), NOW)))
        .isEqualTo(table.title() + ": openai/gpt-4o-mini");
    assertThat(prices.find(new Model("vllm", "qwen3"), NOW).price().cost(Tokens.of(9, 9), null))
        .isZero();
  }

  @Test
  void whatIsNotKnownHasNoPrice() {
    Prices prices = prices("{}");
    assertThat(prices.find(new Model("vllm", "gpt-4o"), NOW)).isNull();
    assertThat(prices.find(new Model("openai", "gpt-4o".repeat(100)), NOW)).isNull();
    assertThat(prices.find(new Model("nobody", "gpt-4o"), NOW)).isNull();
    assertThat(prices.named("no-such-model", NOW)).isEmpty();
  }

  /** The address says who is asked; a name may be anything. */
  @Test
  void theAddressOfAProviderCountsBeforeItsName() {
    Prices prices = new Prices(table, Map.of(), Map.of("openai", "https://openrouter.ai/api/v1"));
    assertThat(prices.source(prices.find(new Model("openai", "anthropic/claude-sonnet-4.5"), NOW)))
        .contains(": openrouter/");
    assertThat(prices.find(new Model("openai", "tts-1-hd-1106"), NOW)).isNull();
  }

  @Test
  void aProviderThatGetsNamesWholeHasItsPricesByThem() {
    Prices prices = prices("{openrouter/x/y: {input: 1, output: 1}}");
    assertThat(prices.find(new Model("openrouter", "openrouter/x/y"), NOW)).isNotNull();
    assertThat(prices.find(new Model("openrouter", "x/y"), NOW)).isNotNull();
    assertThat(prices.named("openrouter/x/y", NOW)).hasSize(1);
    for (String name : List.of("openai/gpt-4o", "openrouter/openai/gpt-4o")) {
      assertThat(prices.source(prices.find(new Model("openrouter", name), NOW)))
          .isEqualTo(table.title() + ": openrouter/openai/gpt-4o");
    }
    assertThat(prices.find(new Model("openrouter", "openrouter/auto"), NOW)).isNull();
  }

  @Test
  void aPriceMayHaveTheWholeNameThatGoesUp() {
    Prices prices = prices("{openrouter/openrouter/auto: {input: 7, output: 9}}");
    Model auto = new Model("openrouter", "openrouter/auto");
    assertThat(prices.source(prices.find(auto, NOW))).isEqualTo("config");
    assertThat(prices.find(new Model("openrouter", "auto"), NOW)).isNull();
    assertThat(prices.answering(List.of(auto), "openai/gpt-4o", NOW)).isEqualTo(auto);
    assertThat(prices.named("openrouter/openrouter/auto", NOW)).hasSize(1);
    assertThat(prices.named("openrouter/auto", NOW)).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "gpt-4o-mini, openai/gpt-4o-mini, another model that has a price",
    "gpt-4o-2024-08-06, openai/gpt-4o, the same with a date",
    "gpt-4o-2024-05-13, openai/gpt-4o-2024-05-13, a dated one with a price of its own",
    "no-such-model,, nonsense",
    "'',, nothing",
    ",, none",
    "own, openai/own, one of the configuration",
    "listed-2024-08-06,, what only sounds like one of the list",
    "o3-2025-04-16, openai/o3, one of the list with a date"
  })
  void anAnswerHasThePriceOfTheModelThatItNames(
      @Nullable String answered, @Nullable String paid, String why) {
    Prices prices = prices("{openai/own: {input: 1, output: 2}}");
    List<Model> asked =
        List.of(
            new Model("openai", "gpt-4o"),
            new Model("openai", "listed"),
            new Model("openai", "o3"));
    Model answering = prices.answering(asked, answered, NOW);
    assertThat(answering == null ? null : answering.canonical()).as(why).isEqualTo(paid);
    if (answering == null) {
      Model one = asked.get(0);
      assertThat(prices.answering(List.of(one), answered, NOW)).as(why).isEqualTo(one);
    }
  }

  /** As of a deployment on Azure, which answers with the name of its model. */
  @Test
  void theConfiguredPriceOfAModelIsThatOfAllThatAnswersInItsPlace() {
    Prices prices =
        prices("{openai/mine: {input: 1, output: 2}, openai/own: {input: 0, output: 0}}");
    List<Model> asked = List.of(new Model("openai", "mine"), new Model("openai", "gpt-4o-mini"));
    assertThat(prices.answering(asked, "gpt-4o", NOW)).isEqualTo(asked.get(0));
    assertThat(prices.answering(asked, "gpt-4o-mini", NOW)).isEqualTo(asked.get(1));
    assertThat(prices.answering(asked, "own", NOW)).isEqualTo(new Model("openai", "own"));
  }

  @Test
  void anOperatorMayLeaveOutTheProvider() {
    assertThat(prices("{}").named("claude-sonnet-4-5", NOW))
        .extracting(price -> price.model().canonical())
        .containsExactly("anthropic/claude-sonnet-4-5");
    assertThat(prices("{}").named("meta-llama/llama-3.3-70b-instruct", NOW))
        .extracting(price -> price.model().canonical())
        .containsExactly("openrouter/meta-llama/llama-3.3-70b-instruct");
  }

  @ParameterizedTest
  @CsvSource({"gpt-4o", "nobody/gpt-4o", "/gpt-4o"})
  void aPriceIsOfAProvider(String name) {
    assertThatThrownBy(() -> prices("{" + name + ": {input: 1, output: 1}}"))
        .hasMessageStartingWith("prices." + name + ": the name of a provider")
        .hasMessageContaining("openrouter");
  }

  private Prices prices(String configured) {
    Map<String, String> addresses = new LinkedHashMap<>();
    addresses.put("vllm", NO_ADDRESS);
    addresses.put("openai", "https://api.openai.com/v1");
    addresses.put("anthropic", "https://api.anthropic.com");
    addresses.put("openrouter", "https://openrouter.ai/api/v1");
    try {
      Map<String, ModelPrice> read = new LinkedHashMap<>();
      new ObjectMapper(new YAMLFactory())
          .readTree(configured)
          .properties()
          .forEach(entry -> read.put(entry.getKey(), ModelPrice.read(entry.getValue())));
      return new Prices(table, read, addresses);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
