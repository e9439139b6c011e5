package io.memorygateway.observation;

import static io.memorygateway.observation.ObserverRig.call;
import static io.memorygateway.observation.ObserverRig.result;
import static io.memorygateway.observation.ObserverRig.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.database.TestJdbi;
import io.memorygateway.memory.rows.NewMessage;
import io.memorygateway.memory.write.RemovedThreads;
import io.memorygateway.observation.text.ModelClient;
import io.memorygateway.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.ConnectionFactory;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §8: exactly once, whoever dies when. */
class ObserverFaultsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final int MESSAGE_TOKENS = 300;
  private static final int OBSERVATION_TOKENS = 500;

  @Test
  void aThreadDeletedWhileItIsObservedStaysDeleted() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch deleted = new CountDownLatch(1);
    ObserverRig rig =
        rig(
            new FakeModel(
                (call, request) -> {
                  asked.countDown();
                  deleted.await();
                  return null;
                }));
    long thread = rig.createThread("doomed");
    rig.append("doomed", List.of(user("word ".repeat(400).strip())));
    request(rig, thread);
    Thread observer = new Thread(rig::observe);
    observer.start();
    asked.await();
    rig.memory
        .transactions()
        .write(
            handle -> {
              rig.memory.threads().delete(handle, rig.caller, "doomed");
              return true;
            });
    deleted.countDown();
    observer.join();
    for (String table : List.of("observation_jobs", "observation_records", "observation_chunks")) {
      assertThat(rig.count(table, thread)).as("written to " + table).isZero();
    }
    RemovedThreads.remove(rig.jdbi);
    for (String table :
        List.of(
            "observation_jobs",
            "observation_states",
            "observation_records",
            "observation_chunks",
            "messages")) {
      assertThat(rig.count(table, thread)).as(table).isZero();
    }
  }

  @Test
  void whoLostItsLeaseWritesNothing() throws Exception {
    ObserverRig[] other = new ObserverRig[1];
    ObserverRig rig =
        rig(
            new FakeModel(
                (call, request) -> {
                  // While this node waits for its model, its lease runs out and another one works.
                  other[0].jdbi.useHandle(
                      handle ->
                          handle.execute("UPDATE observation_jobs SET due_at = UTC_TIMESTAMP(3)"));
                  other[0].observe();
                  return null;
                }));
    other[0] = rig(null);
    long thread = rig.createThread("contended");
    rig.append("contended", List.of(user("I want word ".repeat(130)), user("the end of it")));
    request(rig, thread);
    rig.observe();
    rig.assertEachMessageIsCoveredOnce(thread);
    assertThat(rig.view(thread).notes()).doesNotContain("model heard").isNotEmpty();
    assertThat(rig.count("observation_jobs", thread)).isZero();
  }

  /** Earlier versions took it, and Java's old calendar does not have it. */
  @Test
  void aMessageOfADayThatIsNoneIsObserved() {
    ObserverRig rig = rig(null);
    long thread = rig.createThread("early");
    rig.append("early", List.of(user("I want word ".repeat(130)), user("the end of it")));
    rig.jdbi.useHandle(
        handle ->
            handle.execute(
                "UPDATE messages SET created_at = '1582-10-10 12:00:00' WHERE thread_id = ?",
                thread));
    request(rig, thread);
    rig.observe();
    assertThat(rig.view(thread).observedSeq()).isNotNegative();
  }

  @Tag("heavy")
  @Test
  void nodesThatDieAtAnyStatementLeaveNothingHalfDone() {
    Random random = new Random(5);
    AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
    Jdbi mortal = mortal(left);
    ObserverRig rig =
        new ObserverRig(
            ObserverRig.settings(null, MESSAGE_TOKENS, OBSERVATION_TOKENS),
            DATABASE.jdbi(),
            mortal,
            null);
    long thread = rig.createThread("mortal");
    String log = "";
    int generation = -1;
    int deaths = 0;
    for (int turn = 0; turn < 150; turn++) {
      rig.append("mortal", turn(turn));
      left.set(random.nextInt(40));
      try {
        while (rig.workers.workOnce()) {
          // until it dies, or there is nothing to do
        }
      } catch (RuntimeException e) {
        deaths++;
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      left.set(Integer.MAX_VALUE);
      // The lease runs out.
      rig.jdbi.useHandle(
          handle -> handle.execute("UPDATE observation_jobs SET due_at = UTC_TIMESTAMP(3)"));
      rig.assertEachMessageIsCoveredOnce(thread);
      ThreadView view = rig.view(thread);
      if (view.record() != null) {
        if (view.record().generation() == generation) {
          assertThat(view.log()).startsWith(log);
        }
        assertThat(view.record().generation()).isBetween(generation, generation + 1);
        generation = view.record().generation();
        log = view.log();
      }
    }
    assertThat(deaths).as("deaths").isGreaterThan(20);
    assertThat(generation).as("generations").isGreaterThanOrEqualTo(1);
    rig.observe();
    rig.assertEachMessageIsCoveredOnce(thread);
    assertThat(rig.contextTokens(thread)).isLessThan(MESSAGE_TOKENS + OBSERVATION_TOKENS);
    assertThat(rig.count("observation_jobs", thread)).isZero();
  }

  @Tag("heavy")
  @Test
  void twoNodesShareTheWorkAndNoneDoesItTwice() throws Exception {
    ObserverRig one = rig(null);
    ObserverRig two = new ObserverRig(one.settings, DATABASE.jdbi(), DATABASE.jdbi(), null);
    List<Long> threads = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      threads.add(one.createThread("shared-" + i));
    }
    List<Thread> nodes = List.of(new Thread(one::observe), new Thread(two::observe));
    for (int turn = 0; turn < 40; turn++) {
      for (int i = 0; i < 6; i++) {
        one.append("shared-" + i, turn(turn));
      }
      if (turn == 20) {
        nodes.forEach(Thread::start);
      }
    }
    for (Thread node : nodes) {
      node.join();
    }
    one.observe();
    for (long thread : threads) {
      one.assertEachMessageIsCoveredOnce(thread);
      assertThat(one.contextTokens(thread)).isLessThan(MESSAGE_TOKENS + OBSERVATION_TOKENS);
    }
  }

  @Test
  void aMessageLargerThanTheThresholdIsObservedInParts() {
    FakeModel model = new FakeModel((call, request) -> null);
    ObserverRig rig = rig(model);
    long thread = rig.createThread("giant");
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 6000; i++) {
      text.append("Part ").append(i).append(" says something. ");
    }
    rig.append("giant", List.of(user("before"), user(text.toString()), user("after")));
    rig.observe();
    rig.assertEachMessageIsCoveredOnce(thread);
    assertThat(model.requests).hasSizeGreaterThan(2);
    assertThat(model.requests).anyMatch(request -> request.text().contains("Part 5999 "));
    assertThat(rig.contextTokens(thread)).isLessThan(MESSAGE_TOKENS + OBSERVATION_TOKENS);
    assertThat(rig.view(thread).observedSeq()).as("the giant is out").isEqualTo(1);
  }

  @Test
  void aCallOfAToolWaitsForItsResult() {
    ObserverRig rig = rig(null);
    long thread = rig.createThread("pending");
    rig.append(
        "pending",
        List.of(user("Find me a hotel in Ghent."), call("c1", "word ".repeat(400).strip())));
    rig.observe();
    assertThat(rig.view(thread).preparedSeq()).as("the call is not cut off").isLessThan(1);
    rig.append("pending", List.of(result("c1", "Found 3 hotels.")));
    rig.observe();
    ThreadView view = rig.view(thread);
    assertThat(view.preparedSeq()).as("both or none").isEqualTo(2);
    rig.assertEachMessageIsCoveredOnce(thread);
  }

  @Test
  void whatWasPreparedOfAMessageThatIsDeletedIsForgotten() {
    ObserverRig rig = rig(null);
    long thread = rig.createThread("edited");
    String secret =
        rig.append(
                "edited",
                List.of(user("My secret number is 4711. " + "So it goes on. ".repeat(16).strip())))
            .messages()
            .get(0)
            .publicId();
    rig.append("edited", turn(2));
    request(rig, thread);
    rig.observe();
    assertThat(rig.view(thread).notes()).contains("4711");
    assertThat(rig.view(thread).log()).doesNotContain("4711");
    rig.memory
        .transactions()
        .write(
            handle -> rig.memory.messages().delete(handle, rig.caller, "edited", List.of(secret)));
    rig.observe();
    assertThat(rig.view(thread).notes()).doesNotContain("4711");
    rig.assertEachMessageIsCoveredOnce(thread);
  }

  @Test
  void anAnswerThatWasAskedForAgainIsNotObserved() {
    ObserverRig rig = rig(null);
    long thread = rig.createThread("again");
    rig.append("again", turn(1));
    rig.append(
        "again", List.of(user("My number was 4711, I said so wrongly."), user("It is 4712.")));
    rig.jdbi.useHandle(
        handle ->
            handle.execute(
                "UPDATE messages SET superseded = 1 WHERE thread_id = ? AND seq = 1", thread));
    for (int i = 2; i < 40; i++) {
      rig.append("again", turn(i));
    }
    rig.observe();
    ThreadView view = rig.view(thread);
    assertThat(view.observedSeq()).isGreaterThan(2);
    assertThat(view.notes()).doesNotContain("4711");
    assertThat(rig.count("observation_jobs", thread)).isZero();
  }

  @Test
  void theThresholdsOfAThreadHoldFromWhenTheyAreSet() {
    ObserverRig rig = new ObserverRig(DATABASE, ObserverRig.settings(null, 30_000, 40_000), null);
    long thread = rig.createThread("own");
    for (int turn = 0; turn < 30; turn++) {
      rig.append("own", turn(turn));
    }
    rig.observe();
    assertThat(rig.view(thread).record()).isNull();
    rig.jdbi.useTransaction(
        handle ->
            new Observations(
                    java.time.Clock.systemUTC(),
                    new ContextSettings(rig.settings, RecallSettings.defaults()))
                .configure(
                    handle,
                    new Observations.Subject(thread, "own", "r"),
                    rig.caller.projectName(),
                    own -> new ThreadConfig(200, 400, null, null, null, null)));
    rig.observe();
    assertThat(rig.view(thread).record()).isNotNull();
    assertThat(rig.contextTokens(thread)).isLessThan(600);
    rig.assertEachMessageIsCoveredOnce(thread);
  }

  @Test
  void workThatFailsIsTriedAgainLater() {
    AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
    ObserverRig rig =
        new ObserverRig(
            ObserverRig.settings(null, MESSAGE_TOKENS, OBSERVATION_TOKENS),
            DATABASE.jdbi(),
            mortal(left),
            null);
    rig.createThread("later");
    rig.append("later", List.of(user("I want word ".repeat(130))));
    left.set(8);
    assertThatThrownBy(rig::observe).isInstanceOf(RuntimeException.class);
    left.set(Integer.MAX_VALUE);
    rig.observe();
    assertThat(rig.jdbi.withExtension(JobDao.class, JobDao::oldestMillis)).isNotNull();
  }

  private static List<NewMessage> turn(int number) {
    List<NewMessage> turn = new ArrayList<>();
    turn.add(
        user(
            "I want to visit town "
                + number
                + " and need "
                + number * 3
                + " tickets. So it goes."));
    if (number % 3 == 0) {
      turn.add(call("c" + number, "{}"));
      turn.add(result("c" + number, "Found " + number + " tickets in town " + number + "."));
    }
    return turn;
  }

  private static ObserverRig rig(ModelClient model) {
    return new ObserverRig(
        DATABASE,
        ObserverRig.settings(
            model == null ? null : "fake/observer", MESSAGE_TOKENS, OBSERVATION_TOKENS),
        model);
  }

  private static void request(ObserverRig rig, long thread) {
    rig.jdbi.useTransaction(handle -> ObservationJobs.request(handle, List.of(thread)));
  }

  /** Connections that are cut off once so many statements were made. */
  private static Jdbi mortal(AtomicInteger left) {
    ConnectionFactory connections = () -> mortal(DATABASE.connect(), left);
    return TestJdbi.of(connections);
  }

  private static Connection mortal(Connection connection, AtomicInteger left) {
    return (Connection)
        java.lang.reflect.Proxy.newProxyInstance(
            ObserverFaultsIT.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              boolean step =
                  method.getName().equals("prepareStatement") || method.getName().equals("commit");
              if (step && left.getAndDecrement() <= 0) {
                connection.close();
                throw new SQLException("the node has died");
              }
              try {
                return method.invoke(connection, arguments);
              } catch (java.lang.reflect.InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
