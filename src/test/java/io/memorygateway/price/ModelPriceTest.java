package io.memorygateway.price;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sums are exact, and no call costs more than what was held for it. */
class ModelPriceTest {
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  @Test
  void everyKindOfTokenHasItsPrice() {
    ModelPrice price =
        price(
            "{input: 1, output: 2, cacheRead: 0.1, cacheWrite5m: 1.25, cacheWrite1h: 2, reasoning: 3,"
                + " audioInput: 40, audioOutput: 80, request: 5000}");
    // 1000 of no kind at 1, 100 read, 200 and 300 written, 400 of audio; 50 of no kind at 2, 60,
    // 70.
    Tokens tokens = new Tokens(2000, 100, 200, 300, 400, 180, 60, 70);
    long input = 1_000_000_000 + 10_000_000 + 250_000_000 + 600_000_000 + 16_000_000_000L;
    long output = 100_000_000 + 180_000_000 + 5_600_000_000L;
    assertThat(price.cost(tokens, null)).isEqualTo(5_000_000_000L + input + output);
  }

  @Test
  void aPriceThatIsLeftOutIsThatOfItsWhole() {
    Tokens tokens = new Tokens(2000, 100, 200, 300, 400, 180, 60, 70);
    assertThat(price("{input: 1, output: 2}").cost(tokens, null))
        .isEqualTo(2000 * 1_000_000L + 180 * 2_000_000L);
    assertThat(price("{input: 1, output: 2, cacheWrite5m: 3}").shown())
        .containsEntry("cacheRead", "1")
        .containsEntry("cacheWrite1h", "3")
        .containsEntry("audioInput", "1")
        .containsEntry("reasoning", "2")
        .containsEntry("audioOutput", "2")
        .doesNotContainKeys("request", "tiers", "serviceTiers");
  }

  @Test
  void theSixthDecimalIsAWholePicoDollar() {
    ModelPrice price = price("{input: 0.000001, output: 0.0375}");
    assertThat(price.cost(Tokens.of(1, 0), null)).isEqualTo(1);
    assertThat(price.cost(Tokens.of(0, 3), null)).isEqualTo(112_500);
    assertThat(PicoDollars.dollars(112_500)).isEqualTo("0.0000001125");
    assertThat(PicoDollars.dollars(0)).isEqualTo("0");
    assertThat(PicoDollars.dollars(20_000_000_000_000L)).isEqualTo("20");
  }

  @Test
  void aRegionThatCostsMoreCostsATenthMore() {
    assertThat(PicoDollars.regional(0)).isZero();
    assertThat(PicoDollars.regional(1_000)).isEqualTo(1_100);
    assertThat(PicoDollars.regional(1_001)).isEqualTo(1_102);
    assertThat(PicoDollars.regional(8_000_000_000_000_000_000L))
        .isEqualTo(8_800_000_000_000_000_000L);
    assertThat(PicoDollars.regional(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aSpeedThatHasNoPriceIsNotPaidAtTheUsualOne() {
    assertThat(price("{input: 1, output: 2}").has("fast")).isFalse();
    assertThat(price("{input: 1, output: 2}").has("priority")).isTrue();
    assertThat(price("{input: 1, output: 2}").has(null)).isTrue();
    assertThat(price("{input: 1, output: 2, serviceTiers: {fast: {input: 4}}}").has("fast"))
        .isTrue();
  }

  @Test
  void aTierIsForTheWholeCallIfAllItsInputIsMore() {
    ModelPrice price =
        price(
            "{input: 1, output: 10, cacheRead: 0.1, tiers: [{above: 1000, input: 4, output: 40},"
                + " {above: 200, input: 2}]}");
    assertThat(price.cost(Tokens.of(200, 1), null)).isEqualTo(210_000_000);
    // Of 201, 150 were read from a cache; the tier's own input stands in for what it leaves out.
    assertThat(price.cost(new Tokens(201, 150, 0, 0, 0, 1, 0, 0), null))
        .isEqualTo(201 * 2_000_000L + 10_000_000);
    assertThat(price.cost(Tokens.of(1000, 1), null)).isEqualTo(2_010_000_000);
    assertThat(price.cost(Tokens.of(1001, 1), null)).isEqualTo(4_044_000_000L);
  }

  @Test
  void theServiceTierOfTheAnswerHasItsOwnPrice() {
    ModelPrice price =
        price(
            "{input: 2, output: 10, serviceTiers: {flex: {input: 1, output: 5},"
                + " priority: {input: 4, tiers: [{above: 10, input: 8}]}}}");
    assertThat(price.cost(Tokens.of(20, 1), null)).isEqualTo(50_000_000);
    assertThat(price.cost(Tokens.of(20, 1), "default")).isEqualTo(50_000_000);
    assertThat(price.cost(Tokens.of(20, 1), "flex")).isEqualTo(25_000_000);
    assertThat(price.cost(Tokens.of(10, 1), "priority")).isEqualTo(50_000_000);
    assertThat(price.cost(Tokens.of(20, 1), "priority")).isEqualTo(170_000_000);
    // Asked for, and perhaps not granted.
    assertThat(price.dearest(Tokens.of(20, 1), "flex")).isEqualTo(50_000_000);
    assertThat(price.dearest(Tokens.of(20, 1), "priority")).isEqualTo(170_000_000);
    assertThat(price.dearest(Tokens.of(20, 1), null)).isEqualTo(50_000_000);
  }

  @Test
  void whatACallCanCostAtMostIsTheDearestThatItsTokensCanBe() {
    ModelPrice price =
        price("{input: 1, output: 10, reasoning: 20, cacheWrite1h: 2, audioInput: 40}");
    assertThat(price.dearest(Tokens.upTo(100, 10), null)).isEqualTo(4_200_000_000L);
    // A call without audio.
    assertThat(price.dearest(new Tokens(100, 100, 100, 100, 0, 10, 10, 10), null))
        .isEqualTo(400_000_000);
    assertThat(price.dearest(Tokens.of(100, 10), null)).isEqualTo(200_000_000);
  }

  @Test
  void noCallCostsMoreThanTheMostThatItCan() {
    Random random = new Random(20261127);
    IntUnaryOperator below = bound -> random.nextInt(bound);
    for (int i = 0; i < 5_000; i++) {
      ModelPrice price =
          price(
              "{input: %d, output: %d, cacheRead: %d, cacheWrite5m: %d, reasoning: %d, audioInput: %d, tiers: [{above: %d, input: %d}]}"
                  .formatted(random.ints(8, 1, 50).boxed().toArray()));
      Tokens most = Tokens.upTo(below.applyAsInt(100), below.applyAsInt(100));
      int input = below.applyAsInt((int) most.input() + 1);
      int output = below.applyAsInt((int) most.output() + 1);
      Tokens tokens =
          new Tokens(
              input,
              below.applyAsInt(input + 5),
              below.applyAsInt(input + 5),
              below.applyAsInt(input + 5),
              below.applyAsInt(input + 5),
              output,
              below.applyAsInt(output + 5),
              below.applyAsInt(output + 5));
      assertThat(price.cost(tokens, null))
          .as("%s of %s", tokens, price.shown())
          .isLessThanOrEqualTo(price.dearest(most, null));
    }
  }

  @Test
  void partsThatAreMoreThanTheirWholeAreCountedUpToIt() {
    ModelPrice price = price("{input: 10, output: 10, cacheRead: 1, cacheWrite5m: 12}");
    assertThat(price.cost(new Tokens(100, 90, 20, 0, 0, 0, 0, 0), null))
        .isEqualTo(20 * 12_000_000L + 80 * 1_000_000L);
    assertThat(price.cost(new Tokens(100, Long.MAX_VALUE, -5, 0, 0, -1, 7, 0), null))
        .isEqualTo(100_000_000);
  }

  @Test
  void whatNoLongCanTellIsUnknown() {
    ModelPrice price = price("{input: 1000000, output: 1}");
    assertThat(price.cost(Tokens.of(9_223_372, 0), null)).isEqualTo(9_223_372_000_000_000_000L);
    assertThat(price.cost(Tokens.of(9_223_373, 0), null)).isNull();
    assertThat(price.cost(Tokens.of(9_223_372, 37_000_000_000L), null)).isNull();
    assertThat(price.dearest(Tokens.upTo(Long.MAX_VALUE, 0), null)).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{output: 1} | input is missing",
        "{input: 1} | output is missing",
        "{input: 0.0000001, output: 1} | input must be dollars for a million tokens, from 0 to 1000000 with at most 6 decimals",
        "{input: 1, output: -1} | output must be dollars",
        "{input: 1, output: 1000001} | output must be dollars",
        "{input: 1, output: 1e400000000} | output must be dollars",
        "{input: 1, output: [1]} | output must be dollars",
        "{input: 1, output: cheap} | output must be dollars",
        "{input: 1, output: null} | output must be dollars",
        "{input: 1, output: 1, cacheread: 1} | a price has no key cacheread; there are input, output, cacheRead",
        "{input: 1, output: 1, above: 1} | a price has no key above",
        "3 | a price must be a map",
        "null | a price must be a map",
        "{input: 1, output: 1, tiers: {above: 1}} | tiers must be a list",
        "{input: 1, output: 1, tiers: [5]} | a price must be a map",
        "{input: 1, output: 1, tiers: [{input: 5}]} | tiers: above must be a positive number",
        "{input: 1, output: 1, tiers: [{above: 1.5}]} | tiers: above must be a positive number",
        "{input: 1, output: 1, tiers: [{above: 5}, {above: 5}]} | tiers: above is the same in two",
        "{input: 1, output: 1, tiers: [{above: 5, tiers: []}]} | a price has no key tiers",
        "{input: 1, output: 1, serviceTiers: [flex]} | serviceTiers must be a map",
        "{input: 1, output: 1, serviceTiers: {flx: {}}} | serviceTiers: there is no flx; there are fast, flex, priority",
        "{input: 1, output: 1, serviceTiers: {flex: {serviceTiers: {}}}} | a price has no key serviceTiers"
      })
  void aMistakeIsToldByItsKey(String written, String message) {
    assertThatThrownBy(() -> price(written)).hasMessageStartingWith(message);
  }

  private static ModelPrice price(String yaml) {
    try {
      return ModelPrice.read(YAML.readTree(yaml));
    } catch (JsonProcessingException e) {
      throw new AssertionError(e);
    }
  }
}
