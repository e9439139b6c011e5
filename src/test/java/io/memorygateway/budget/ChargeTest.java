package io.memorygateway.budget;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What an answer and the passes beside it count in windows of their models. */
class ChargeTest {
  private final Hold hold = new Hold(1, Instant.EPOCH, List.of(), new Hold.Seen(0, 0, 0));

  @Test
  void eachModelIsChargedWhatItDid() {
    Charge charge = charge(12, new Charge.Pass("p/dear", 5, 7));
    assertThat(charge.in(tokensOf("p/m"))).isEqualTo(7);
    assertThat(charge.in(tokensOf("p/dear"))).isEqualTo(5);
    assertThat(charge.in(tokensOf("p/m", "p/dear"))).isEqualTo(12);
    assertThat(charge.in(tokensOf())).isEqualTo(12);
  }

  @Test
  void aCallOfWhichOnlyAPassIsKnownGivesNothingBack() {
    assertThat(charge(0, new Charge.Pass("p/dear", 5, 7)).in(tokensOf("p/m"))).isZero();
  }

  private Charge charge(long tokens, Charge.Pass pass) {
    return new Charge(new Covered(hold, "p/m", true), tokens, 0, List.of(pass));
  }

  private static Hold.Part tokensOf(String... targets) {
    return new Hold.Part(1, BudgetUnit.TOKENS, Set.of(targets), true);
  }
}
