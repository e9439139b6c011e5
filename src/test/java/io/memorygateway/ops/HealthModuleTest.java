package io.memorygateway.ops;

import static io.dropwizard.health.HealthCheckType.ALIVE;
import static io.dropwizard.health.HealthCheckType.READY;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dropwizard.health.DefaultHealthFactory;
import io.dropwizard.health.HealthStateAggregator;
import io.dropwizard.health.HealthStateView;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HealthModuleTest {
  private static final HealthStateView GOOD = new HealthStateView("a", true, READY, true);
  private static final HealthStateView BAD = new HealthStateView("b", false, READY, true);
  private static final HealthStateView MINOR = new HealthStateView("c", false, READY, false);
  private static final HealthStateView DEAD = new HealthStateView("d", false, ALIVE, true);

  /** Dropwizard's count says neither when it is written by two checks at once. */
  @Test
  void theProbeAnswersByTheChecksWhateverWasCounted() {
    for (boolean counted : new boolean[] {true, false}) {
      assertThat(status(counted, "ready", GOOD)).isEqualTo(200);
      assertThat(status(counted, "ready", GOOD, MINOR)).isEqualTo(200);
      assertThat(status(counted, "ready", GOOD, BAD)).isEqualTo(503);
      assertThat(status(counted, "ready", GOOD, DEAD)).isEqualTo(503);
      assertThat(status(counted, "alive", GOOD, BAD)).isEqualTo(200);
      assertThat(status(counted, "ALIVE", GOOD, DEAD)).isEqualTo(503);
    }
  }

  @Test
  void whereDropwizardsOwnDelayWorksByTheCountThatIsAnswered() {
    DefaultHealthFactory delayed = new DefaultHealthFactory();
    delayed.setDelayedShutdownHandlerEnabled(true);
    DefaultHealthFactory later = new DefaultHealthFactory();
    later.setInitialOverallState(false);
    for (DefaultHealthFactory factory : List.of(delayed, later)) {
      assertThat(status(factory, false, "ready", GOOD)).isEqualTo(503);
    }
  }

  private static int status(boolean counted, String type, HealthStateView... views) {
    return status(new DefaultHealthFactory(), counted, type, views);
  }

  private static int status(
      DefaultHealthFactory factory, boolean counted, String type, HealthStateView... views) {
    HealthModule.answerByChecks(factory);
    return factory
        .getHealthResponseProviderFactory()
        .build(asked -> counted, new Checks(List.of(views)), new ObjectMapper())
        .healthResponse(Map.of("type", List.of(type)))
        .getStatus();
  }

  private record Checks(Collection<HealthStateView> healthStateViews)
      implements HealthStateAggregator {
    @Override
    public Optional<HealthStateView> healthStateView(String name) {
      return healthStateViews.stream().filter(view -> view.getName().equals(name)).findAny();
    }
  }
}
