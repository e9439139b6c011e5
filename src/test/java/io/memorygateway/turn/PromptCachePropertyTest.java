package io.memorygateway.turn;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.turn.LongTalk.Endpoint;
import io.memorygateway.turn.LongTalk.Marks;
import io.memorygateway.turn.LongThread.Cost;
import io.memorygateway.turn.LongThread.Memory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Contract §8: what memory adds to the calls of a thread leaves providers' prompt caches whole. */
class PromptCachePropertyTest {
  private static final int TURNS = 200;

  /** After which messages of a thread are elided that nobody observes. */
  private static final int MORE_TURNS = 300;

  /** Turns of a thread that differs from the others by its marks or its target alone. */
  private static final int FEWER_TURNS = 100;

  /** The most that recall may add to the price of the input. */
  private static final double MOST = 1.5;

  /**
   * The share of all tokens that is read from the cache; without the gateway's marks it is less.
   */
  private static final double READ = 0.94;

  /** The share of a prompt, on average, that the next one begins with. */
  private static final double KEPT = 0.95;

  @Tag("heavy")
  @ParameterizedTest
  @EnumSource
  void aThreadWithRecallCostsLittleMoreThanWithoutAndLessThanAllThatWasSaid(Endpoint endpoint) {
    long full = thread(Memory.FULL_HISTORY, endpoint, Marks.NEWEST).run(TURNS).usage().price();
    Cost without = thread(Memory.WITHOUT_RECALL, endpoint, Marks.NEWEST).run(TURNS);
    Cost with = thread(Memory.WITH_RECALL, endpoint, Marks.NEWEST).run(TURNS);

    assertThat(with.quoted()).isGreaterThan(TURNS / 3);
    assertThat(with.observed()).isGreaterThan(1);
    assertThat(with.kept()).as("%s", with).isGreaterThan(KEPT);
    assertThat(with.usage().readShare()).as("%s", with).isGreaterThan(READ);
    assertThat((double) with.usage().price())
        .as("%s, without recall %s", with, without)
        .isLessThan((double) full)
        .isLessThan(MOST * without.usage().price());
  }

  @Tag("heavy")
  @ParameterizedTest
  @EnumSource
  void soDoesOneWhoseObserversAreLate(Endpoint endpoint) {
    Cost without = thread(Memory.WITHOUT_RECALL, endpoint, Marks.NEWEST).run(MORE_TURNS, 50, 290);
    Cost with = thread(Memory.WITH_RECALL, endpoint, Marks.NEWEST).run(MORE_TURNS, 50, 290);

    assertThat(with.elided()).isGreaterThan(20);
    assertThat(with.kept()).as("%s", with).isGreaterThan(KEPT);
    assertThat(with.usage().readShare()).as("%s", with).isGreaterThan(READ);
    assertThat((double) with.usage().price())
        .as("%s, without recall %s", with, without)
        .isLessThan(MOST * without.usage().price());
  }

  @Tag("heavy")
  @ParameterizedTest
  @EnumSource
  void soDoesOneOverMessagesWhateverItsClientMarks(Marks marks) {
    Cost without = thread(Memory.WITHOUT_RECALL, Endpoint.MESSAGES, marks).run(FEWER_TURNS);
    Cost with = thread(Memory.WITH_RECALL, Endpoint.MESSAGES, marks).run(FEWER_TURNS);

    assertThat(with.usage().price())
        .as("%s, without recall %s", with, without)
        .isLessThan((long) (MOST * without.usage().price()));
  }

  @Tag("heavy")
  @ParameterizedTest
  @EnumSource(names = {"CHAT", "RESPONSES"})
  void soDoesOneWhoseTargetIsOfMessages(Endpoint endpoint) {
    Cost without = LongThread.translated(Memory.WITHOUT_RECALL, endpoint).run(FEWER_TURNS);
    Cost with = LongThread.translated(Memory.WITH_RECALL, endpoint).run(FEWER_TURNS);

    assertThat(with.usage().readShare()).isGreaterThan(0.9);
    assertThat(with.usage().price())
        .as("%s, without recall %s", with, without)
        .isLessThan((long) (MOST * without.usage().price()));
  }

  private static LongThread thread(Memory memory, Endpoint endpoint, Marks marks) {
    return new LongThread(memory, endpoint, marks, LongThread.shipped(), 1);
  }
}
