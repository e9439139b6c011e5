package io.memorygateway.observation;

import static io.memorygateway.observation.ObserverRig.call;
import static io.memorygateway.observation.ObserverRig.result;
import static io.memorygateway.observation.ObserverRig.user;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.memory.rows.NewMessage;
import io.memorygateway.observation.text.ObservationLog;
import io.memorygateway.testing.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §8 on a thread of a thousand messages, at small thresholds. */
@Tag("heavy")
class LongThreadIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final int MESSAGE_TOKENS = 400;
  private static final int OBSERVATION_TOKENS = 700;
  private static final int MAX_TURN_MESSAGES = 80;

  @Test
  void staysAffordableOverManyGenerations() {
    ObserverRig rig =
        new ObserverRig(
            DATABASE, ObserverRig.settings(null, MESSAGE_TOKENS, OBSERVATION_TOKENS), null);
    long thread = rig.createThread("long");
    Random random = new Random(3);
    String log = "";
    int generation = -1;
    boolean prepared = false;
    Set<Integer> seen = new TreeSet<>();
    int stored = 0;
    while (stored < 1000 && generation < 4) {
      List<NewMessage> turn = turn(stored, random);
      rig.append("long", turn);
      stored += turn.size();
      rig.observe();

      rig.assertEachMessageIsCoveredOnce(thread);
      ThreadView view = rig.view(thread);
      prepared |= !view.chunks().isEmpty();
      assertThat(rig.contextTokens(thread))
          .as("context after %s messages", stored)
          .isLessThan(MESSAGE_TOKENS + MAX_TURN_MESSAGES + OBSERVATION_TOKENS);
      if (view.record() != null) {
        if (view.record().generation() == generation) {
          assertThat(view.log()).startsWith(log);
        } else {
          assertThat(view.record().generation()).isEqualTo(generation + 1);
        }
        generation = view.record().generation();
        log = view.log();
        seen.add(generation);
      }
    }
    assertThat(prepared).as("chunks were prepared").isTrue();
    assertThat(generation).as("generations").isGreaterThanOrEqualTo(3);
    assertThat(rig.generations(thread)).containsExactlyElementsOf(new ArrayList<>(seen));
    assertThat(rig.count("observation_jobs", thread)).isZero();
    for (String line : log.lines().filter(ObservationLog::isItem).toList()) {
      assertThat(line).matches("\\* (🔴 )?(\\(09:3\\d\\) )?[A-Z][a-z ]+: .+");
    }
  }

  @Test
  void aThreadThatComesAllAtOnceIsObservedDown() {
    ObserverRig rig =
        new ObserverRig(
            DATABASE, ObserverRig.settings(null, MESSAGE_TOKENS, OBSERVATION_TOKENS), null);
    long thread = rig.createThread("at-once");
    Random random = new Random(4);
    List<NewMessage> all = new ArrayList<>();
    while (all.size() < 990) {
      all.addAll(turn(all.size(), random));
    }
    rig.append("at-once", all);
    rig.observe();
    rig.assertEachMessageIsCoveredOnce(thread);
    assertThat(rig.contextTokens(thread)).isLessThan(MESSAGE_TOKENS + OBSERVATION_TOKENS);
    assertThat(rig.generations(thread)).hasSizeGreaterThan(3);
    long raw = rig.contextTokens(thread) - rig.view(thread).record().observationTokens();
    assertThat(raw).as("the newest stay raw").isGreaterThanOrEqualTo(MESSAGE_TOKENS / 5);
  }

  private static List<NewMessage> turn(int number, Random random) {
    String place = List.of("Ghent", "Lyon", "Porto", "Kyoto").get(random.nextInt(4));
    List<NewMessage> turn = new ArrayList<>();
    turn.add(
        user(
            "I want to visit "
                + place
                + " on day "
                + number
                + ". The weather is nice. So it goes."));
    if (random.nextInt(4) == 0) {
      turn.add(call("c" + number, "{\\\"city\\\":\\\"" + place + "\\\"}"));
      turn.add(result("c" + number, "Found " + random.nextInt(90) + " hotels in " + place + "."));
    }
    turn.add(user("Well, that is fine. We decided to pay " + random.nextInt(900) + " euros."));
    return turn;
  }
}
