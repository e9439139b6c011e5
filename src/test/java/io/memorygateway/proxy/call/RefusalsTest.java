package io.memorygateway.proxy.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.call.Roles;
import io.memorygateway.format.translation.Effort;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What providers have refused, as calls at the same time show it. */
class RefusalsTest {
  private static final String MODEL = "own/llama";

  private final Refusals refusals = new Refusals();

  @Test
  void whatTwoCallsAtOnceAreRefusedIsKnownOfBoth() {
    Demands before = refusals.demands(1, MODEL);
    refusals.note(1, MODEL, before, before.withReasoning(true).with(Roles.OF_MISTRAL));
    refusals.note(1, MODEL, before, before.with(Effort.HIGH, Optional.empty()));
    refusals.note(1, MODEL, before, before.withMostOutput(4096).with(Roles.STRICT));
    refusals.note(1, MODEL, before, before.with(Effort.LOW, Optional.of(Effort.MEDIUM)));

    assertThat(refusals.demands(1, MODEL))
        .isEqualTo(
            Demands.NONE
                .withReasoning(true)
                .with(Roles.OF_MISTRAL)
                .withMostOutput(4096)
                .with(Effort.HIGH, Optional.empty())
                .with(Effort.LOW, Optional.of(Effort.MEDIUM)));
    assertThat(refusals.demands(2, MODEL)).isEqualTo(Demands.NONE);
  }

  @Test
  void whatACallShowsToBeOtherwiseIsKnownSo() {
    refusals.note(1, MODEL, Demands.NONE, Demands.NONE.withReasoning(true));
    Demands known = refusals.demands(1, MODEL);
    refusals.note(1, MODEL, known, known.withReasoning(false));

    assertThat(refusals.demands(1, MODEL).reasoning()).isFalse();
  }
}
