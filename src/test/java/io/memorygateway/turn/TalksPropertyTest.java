package io.memorygateway.turn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Nothing lost, nothing invented (contract §7): what goes up is what the client's conversation
 * says, whatever it does with it, and the thread's conversation is the same.
 */
class TalksPropertyTest {
  /** A talk takes some ten milliseconds; {@code -Dtest.talks=1000} tries more of them. */
  private static final int RUNS = Integer.getInteger("test.talks", 30);

  private static final int FIRST = Integer.getInteger("test.talks.first", 0);

  @ParameterizedTest
  @EnumSource
  void whatGoesUpIsWhatTheClientsConversationSays(TalkWire wire) {
    List<String> faults = new ArrayList<>();
    for (int seed = FIRST; seed < FIRST + RUNS; seed++) {
      String fault = new Talked(wire, seed).run();
      if (fault != null) {
        faults.add(fault);
      }
    }
    assertThat(faults.stream().limit(1)).as("%s of %s talks", faults.size(), RUNS).isEmpty();
  }
}
