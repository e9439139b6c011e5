package io.memorygateway.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.memory.rows.NewMessage;
import io.memorygateway.testing.TestDatabase;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §8: a thread of which something does not go upstream is observed first. */
class UrgentThreadsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private final ObserverRig rig =
      new ObserverRig(DATABASE, ObserverRig.settings(null, 300, 300), null);

  @Test
  void itGoesBeforeThoseThatWaitForLonger() throws Exception {
    long one = rig.createThread("one");
    rig.append("one", talk(60));
    long other = rig.createThread("other");
    rig.append("other", talk(60));
    rig.jdbi.useTransaction(handle -> ObservationJobs.prioritise(handle, other));

    assertThat(rig.workers.workOnce()).isTrue();

    assertThat(rig.view(other).record()).isNotNull();
    assertThat(rig.view(one).record()).isNull();
    rig.observe();
    assertThat(rig.view(one).record()).isNotNull();
  }

  @Test
  void whoAsksForAThreadWithoutAJobMakesOneAndAskingTwiceChangesNothing() {
    long thread = rig.createThread("idle");
    rig.observe();
    for (int i = 0; i < 2; i++) {
      rig.jdbi.useTransaction(handle -> ObservationJobs.prioritise(handle, thread));
      assertThat(aheadByHours(thread)).isEqualTo(24);
    }
    rig.observe();
    assertThat(rig.count("observation_jobs", thread)).isZero();
  }

  @Test
  void aJobThatFailedKeepsItsPause() {
    long thread = rig.createThread("failed");
    rig.jdbi.useTransaction(handle -> ObservationJobs.prioritise(handle, thread));
    rig.jdbi.useHandle(
        handle ->
            handle.execute(
                "UPDATE observation_jobs SET attempts = 1, due_at = requested_at WHERE thread_id = ?",
                thread));

    rig.jdbi.useTransaction(handle -> ObservationJobs.prioritise(handle, thread));

    assertThat(aheadByHours(thread)).isZero();
    rig.jdbi.useHandle(
        handle -> handle.execute("DELETE FROM observation_jobs WHERE thread_id = ?", thread));
  }

  @Test
  void manySmallMessagesAreObservedBeforeTheirTextReachesTheThreshold() {
    long thread = rig.createThread("small");
    rig.append("small", new ArrayList<>(Collections.nCopies(170, ObserverRig.user("ok"))));
    rig.observe();

    rig.assertEachMessageIsCoveredOnce(thread);
    assertThat(rig.contextTokens(thread)).isLessThan(170);
    assertThat(rig.view(thread).observedSeq()).isGreaterThan(0);
  }

  private long aheadByHours(long thread) {
    return rig.jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    "SELECT TIMESTAMPDIFF(HOUR, due_at, requested_at) FROM observation_jobs WHERE thread_id = :t")
                .bind("t", thread)
                .mapTo(Long.class)
                .one());
  }

  private static List<NewMessage> talk(int messages) {
    List<NewMessage> talk = new ArrayList<>();
    for (int i = 0; i < messages; i++) {
      talk.add(ObserverRig.user("I want to see town " + i + " and the road that leads to it."));
    }
    return talk;
  }
}
