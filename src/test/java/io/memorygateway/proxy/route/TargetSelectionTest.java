package io.memorygateway.proxy.route;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.dropwizard.jackson.Jackson;
import io.memorygateway.proxy.circuit.Circuit;
import io.memorygateway.proxy.upstream.StreamScheduler;
import io.memorygateway.proxy.upstream.Upstream;
import io.memorygateway.testing.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §10: which target a call goes to, and which is next. */
class TargetSelectionTest {
  private static final long KEY = 1;

  private final ManualClock clock = new ManualClock(Instant.parse("2026-11-23T12:00:00Z"));
  private final Random random = new Random(7);
  private final Target a = target("a");
  private final Target b = target("b");
  private final Target c = target("c");

  @Test
  void groupsAreTriedInOrderAndNoTargetTwice() {
    TargetSelection selection = selection(List.of(List.of(of(a, 1)), List.of(of(b, 1), of(c, 1))));

    assertThat(selection.first().target()).isSameAs(a);
    Target second = requireNonNull(selection.next()).target();
    Target third = requireNonNull(selection.next()).target();
    assertThat(List.of(second, third)).containsExactlyInAnyOrder(b, c);
    assertThat(selection.next()).isNull();
  }

  @Test
  void anOpenCircuitIsPassedOver() {
    open(a);

    TargetSelection selection = selection(List.of(List.of(of(a, 1)), List.of(of(b, 1))));

    assertThat(selection.first().target()).isSameAs(b);
  }

  @Test
  void ifAllAreOpenTheOneThatIsOpenForLongestIsTriedAndThenNone() {
    open(b);
    clock.advance(Duration.ofSeconds(1));
    open(a);
    clock.advance(Duration.ofSeconds(1));
    open(c);

    TargetSelection selection = selection(List.of(List.of(of(a, 1), of(b, 1)), List.of(of(c, 1))));

    assertThat(selection.first().target()).isSameAs(b);
    assertThat(selection.next()).isNull();
  }

  @Test
  void aTargetWithAKnownLargerWindowIsFound() {
    TargetSelection selection =
        selection(
            List.of(
                List.of(new Route.Choice(a, 1, 1000)),
                List.of(new Route.Choice(b, 1, 0)),
                List.of(new Route.Choice(c, 1, 1001))));

    TargetLease first = selection.first();

    assertThat(requireNonNull(selection.nextLarger(first.window())).target()).isSameAs(c);
    assertThat(selection.nextLarger(0)).isNull();
  }

  @ParameterizedTest
  @CsvSource({"1,1,64", "2,1,64", "3,1,64", "9,1,64", "2,1,1", "3,1,1", "9,1,1", "3,1,8"})
  void loadIsSharedByWeight(int weightOfA, int weightOfB, int atOnce) {
    int[] calls =
        run(List.of(of(a, weightOfA), of(b, weightOfB)), new double[] {1, 1}, atOnce, 20_000);

    double share = weightOfA / (double) (weightOfA + weightOfB);
    assertThat(calls[0] / 20_000.0).isCloseTo(share, within(0.05 * share));
  }

  @Test
  void aTargetThatIsThreeTimesSlowerGetsLess() {
    int[] calls = run(List.of(of(a, 1), of(b, 1)), new double[] {1, 3}, 64, 20_000);

    // By chance it would be half, and the mean call would take 2.
    assertThat((calls[0] + 3.0 * calls[1]) / 20_000).isLessThan(1.6);
  }

  /** Calls of these durations, so many at a time; how many each target got. */
  private int[] run(List<Route.Choice> group, double[] durations, int atOnce, int number) {
    record Running(double end, TargetLease lease) {}
    PriorityQueue<Running> running =
        new PriorityQueue<>((one, other) -> Double.compare(one.end, other.end));
    int[] calls = new int[group.size()];
    double now = 0;
    List<Target> targets = group.stream().map(Route.Choice::target).toList();
    for (int i = 0; i < number; i++) {
      if (running.size() == atOnce) {
        Running ended = running.remove();
        now = ended.end;
        ended.lease.succeeded();
      }
      TargetLease lease = selection(List.of(group)).first();
      int at = targets.indexOf(lease.target());
      calls[at]++;
      running.add(new Running(now + durations[at] * (0.5 + random.nextDouble()), lease));
    }
    running.forEach(each -> each.lease.close());
    assertThat(targets).allMatch(target -> target.inFlight() == 0);
    return calls;
  }

  @Test
  void aSessionStaysWithItsTargetWhateverTheLoadAndComesBackToIt() {
    List<List<Route.Choice>> groups = List.of(List.of(of(a, 1), of(b, 1), of(c, 1)));
    Target own = ofSession(groups, "1/thread");
    for (int i = 0; i < 20; i++) {
      // None of these calls ends.
      assertThat(selection(groups, "1/thread").first().target()).isSameAs(own);
    }
    List<String> others = IntStream.range(0, 300).mapToObj(i -> "1/" + i).toList();
    List<Target> before = others.stream().map(each -> ofSession(groups, each)).toList();

    open(own);
    assertThat(ofSession(groups, "1/thread")).isNotSameAs(own);
    for (int i = 0; i < others.size(); i++) {
      Target now = ofSession(groups, others.get(i));
      assertThat(now).isNotSameAs(own);
      if (before.get(i) != own) {
        assertThat(now).isSameAs(before.get(i));
      }
    }

    requireNonNull(own.circuit()).close();
    assertThat(ofSession(groups, "1/thread")).isSameAs(own);
  }

  @ParameterizedTest
  @CsvSource({"1,1", "3,1", "1,9"})
  void sessionsAreSharedByWeight(int weightOfA, int weightOfB) {
    List<List<Route.Choice>> groups = List.of(List.of(of(a, weightOfA), of(b, weightOfB)));
    long ofA =
        IntStream.range(0, 10_000).filter(i -> ofSession(groups, "7/thread-" + i) == a).count();

    double share = weightOfA / (double) (weightOfA + weightOfB);
    assertThat(ofA / 10_000.0).isCloseTo(share, within(0.03));
  }

  private Target ofSession(List<List<Route.Choice>> groups, String session) {
    try (TargetLease lease = selection(groups, session).first()) {
      return lease.target();
    }
  }

  private static void open(Target target) {
    Circuit circuit = requireNonNull(target.circuit());
    for (int i = 0; i < 3; i++) {
      requireNonNull(circuit.tryAcquire(KEY, KEY)).failed(null);
    }
  }

  private TargetSelection selection(List<List<Route.Choice>> groups) {
    return selection(groups, null);
  }

  private TargetSelection selection(List<List<Route.Choice>> groups, @Nullable String session) {
    IntUnaryOperator below = random::nextInt;
    return new TargetSelection(
        new Route(groups, 3, Route.NO_TIMEOUT, false), KEY, KEY, session, below);
  }

  private static Route.Choice of(Target target, int weight) {
    return new Route.Choice(target, weight, 0);
  }

  private Target target(String name) {
    return new Target(provider("p"), name, new Circuit(clock));
  }

  /** A provider on an address where nobody is called. */
  static Provider provider(String name) {
    try {
      ProviderConfiguration configuration =
          Jackson.newObjectMapper()
              .readValue(
                  "{\"baseUrl\":\"http://x/v1\",\"needsKey\":false,\"endpoints\":[\"chat\"]}",
                  ProviderConfiguration.class);
      Upstream upstream =
          new Upstream(
              configuration.way(java.util.Map.of()),
              configuration.limits(),
              Duration.ZERO,
              Runnable::run,
              new ScheduledExecutorScheduler(),
              new StreamScheduler(1, System::nanoTime));
      return new Provider(name, configuration, upstream);
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
