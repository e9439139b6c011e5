package io.memorygateway.observation;

import static io.memorygateway.observation.ObserverRig.user;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.memory.rows.NewMessage;
import io.memorygateway.memory.write.RemovedThreads;
import io.memorygateway.observation.text.ModelClient;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.testing.TestDatabase;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §8: what is known of a resource, over its threads. */
class ResourceRecordIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final int RESOURCE_TOKENS = 200;
  private static final Pattern DOG = Pattern.compile("dog is called Rex");

  /** Notes each message, and fails at what is known of a resource. */
  private static final FakeModel.Mood EXTRACTIVE =
      (call, request) -> isOfResource(request) ? FakeModel.text("?") : null;

  private final String resource = "owner-" + UUID.randomUUID();

  @Test
  void factsOfAllThreadsAreKnownOfTheirResourceAndOfNoOther() {
    ObserverRig rig = rig(EXTRACTIVE);
    say(rig, "pets", resource, "My dog is called Rex.");
    say(rig, "food", resource, "I am allergic to hazelnuts.");
    say(rig, "strange", "another-" + resource, "My cat is called Tom.");
    ObserverRig elsewhere = rig(EXTRACTIVE);
    say(elsewhere, "pets", resource, "My parrot is called Coco.");

    assertThat(known(rig).observations())
        .contains("dog is called Rex", "allergic to hazelnuts")
        .doesNotContain("Tom", "Coco");
    assertThat(known(rig).sources()).isEqualTo(2);
    assertThat(known(elsewhere).observations()).contains("Coco").doesNotContain("Rex");
    assertThat(config(rig))
        .isEqualTo(
            "{\"resourceTokens\":200,\"observer\":\"extractive\",\"model\":\"fake/observer\"}");
  }

  @Test
  void aModelIsAskedForWhatLastsAndIsGivenWhatWasKnownBefore() {
    AtomicBoolean talkative = new AtomicBoolean();
    List<String> asked = new ArrayList<>();
    ObserverRig rig =
        rig(
            (call, request) -> {
              if (!isOfResource(request)) {
                return null;
              }
              asked.add(request.text());
              return FakeModel.text(
                  "<observations>\nDate: November 20, 2026\n* 🔴 (09:30) fact "
                      + (talkative.get() ? "w ".repeat(300) : "number " + call)
                      + "\n</observations>");
            });
    say(rig, "pets", resource, "My dog is called Rex.");
    String first = known(rig).observations();
    assertThat(first).contains("* 🔴 (09:30) fact number ");
    assertThat(config(rig))
        .isEqualTo(
            "{\"resourceTokens\":200,\"observer\":\"model\",\"model\":\"fake/observer\",\"promptVersion\":\"resource-v1\"}");

    say(rig, "food", resource, "I am allergic to hazelnuts.");
    assertThat(asked.get(asked.size() - 1)).contains(first.lines().toList().get(1), "hazelnuts");
    assertThat(known(rig).observations()).isNotEqualTo(first).contains("fact number ");

    talkative.set(true);
    say(rig, "more", resource, "I live in Ghent.");
    assertThat(config(rig)).as("no answer that is too long").contains("\"extractive\"");
    assertThat(known(rig).observationTokens()).isBetween(1L, (long) RESOURCE_TOKENS);
  }

  @Tag("heavy")
  @Test
  void whatIsKnownIsBoundedAndItsHistoryIs() {
    ObserverRig rig = rig(EXTRACTIVE);
    int generation = -1;
    for (int i = 0; i < 2 * ResourceReflection.HISTORY + 8; i++) {
      say(
          rig,
          "talk-" + i % 5,
          resource,
          "Fact number " + i + " is that I own " + i * 7 + " books.");
      ResourceDao.Known known = known(rig);
      assertThat(new TokenCounter().count(known.observations()))
          .isEqualTo((int) known.observationTokens())
          .isBetween(1, RESOURCE_TOKENS);
      assertThat(known.generation()).isGreaterThanOrEqualTo(generation);
      generation = known.generation();
    }
    assertThat(generation).isGreaterThan(2 * ResourceReflection.HISTORY);
    assertThat(records(rig)).isBetween(ResourceReflection.HISTORY, 2 * ResourceReflection.HISTORY);
  }

  @Test
  void ofAThreadThatIsKnownNothingIsCondensedBeforeThereIsEnough() {
    ObserverRig rig =
        ObserverRig.sharing(
            DATABASE,
            ObserverRig.settings("fake/observer", 300, 500, 10_000),
            new FakeModel(EXTRACTIVE));
    say(rig, "pets", resource, "My dog is called Rex.");
    say(rig, "food", resource, "I am allergic to hazelnuts.");
    ResourceDao.Known before = known(rig);
    assertThat(before.observations()).containsPattern(DOG).contains("hazelnuts");
    say(rig, "food", resource, "I live in Ghent.");
    rig.jdbi.useTransaction(handle -> ObservationJobs.request(handle, rig.threadsOf(resource)));
    rig.observe();
    assertThat(known(rig)).isEqualTo(before);
  }

  @Test
  void whatCameFromADeletedThreadIsForgottenAndOfTheLastOneAll() {
    ObserverRig rig = rig(EXTRACTIVE);
    say(rig, "pets", resource, "My dog is called Rex.");
    say(rig, "food", resource, "I am allergic to hazelnuts.");
    rig.createThread("silent", resource);
    assertThat(known(rig).observations()).containsPattern(DOG);

    delete(rig, "pets");
    rig.observe();
    assertThat(known(rig).observations()).doesNotContain("Rex").contains("hazelnuts");
    assertThat(records(rig)).as("former generations told of it").isEqualTo(1);

    delete(rig, "food");
    assertThat(shown(rig)).as("all that it came from is gone").isEmpty();
    rig.observe();
    assertThat(records(rig)).isZero();

    say(rig, "silent", resource, "I live in Ghent.");
    assertThat(known(rig).observations()).contains("Ghent").doesNotContain("hazelnuts");
    delete(rig, "silent");
    assertThat(records(rig)).isZero();
    assertThat(count(rig, "resource_sources")).isZero();
  }

  @Test
  void aThreadThatKeepsToItselfGivesNothingAndTakesBackWhatItGave() {
    ObserverRig rig = rig(EXTRACTIVE);
    long aside = rig.createThread("aside", resource);
    scope(rig, aside, "thread");
    say(rig, "aside", resource, "My cat is called Tom.");
    assertThat(records(rig)).isZero();

    say(rig, "pets", resource, "My dog is called Rex.");
    long food = say(rig, "food", resource, "I am allergic to hazelnuts.");
    assertThat(known(rig).observations()).contains("hazelnuts").doesNotContain("Tom");
    scope(rig, food, "thread");
    rig.observe();
    assertThat(known(rig).observations()).containsPattern(DOG).doesNotContain("hazelnuts");
    scope(rig, food, null);
    rig.observe();
    assertThat(known(rig).observations()).containsPattern(DOG).contains("hazelnuts");
  }

  @Test
  void whatWasPreparedOfAMessageThatIsDeletedIsNotKnownAnyMore() {
    ObserverRig rig = rig(EXTRACTIVE);
    rig.createThread("edited", resource);
    String secret =
        rig.append("edited", saying("My secret number is 4711.")).messages().get(0).publicId();
    rig.append("edited", saying("My dog is called Rex."));
    rig.observe();
    assertThat(known(rig).observations()).contains("4711");
    rig.memory
        .transactions()
        .write(
            handle -> rig.memory.messages().delete(handle, rig.caller, "edited", List.of(secret)));
    rig.observe();
    assertThat(known(rig).observations()).containsPattern(DOG).doesNotContain("4711");
  }

  @Test
  void nothingIsKeptWhereItIsTurnedOff() {
    ObserverRig rig = rig(EXTRACTIVE);
    say(rig, "pets", resource, "My dog is called Rex.");
    assertThat(records(rig)).isPositive();

    ObserverRig off = ObserverRig.sharing(DATABASE, ObserverRig.settings(null, 300, 500, 0), null);
    rig.jdbi.useTransaction(handle -> ObservationJobs.request(handle, rig.threadsOf(resource)));
    off.observe();
    assertThat(records(rig)).isZero();
    rig.append("pets", saying("My cat is called Tom."));
    rig.jdbi.useTransaction(handle -> ObservationJobs.request(handle, rig.threadsOf(resource)));
    off.observe();
    assertThat(records(rig)).isZero();
  }

  @Tag("heavy")
  @Test
  void ofNodesThatDoTheSameOneCommits() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    ObserverRig slow =
        rig(
            (call, request) -> {
              if (isOfResource(request)) {
                asked.countDown();
                done.await();
              }
              return null;
            });
    slow.createThread("pets", resource);
    slow.append("pets", saying("My dog is called Rex."));
    Thread observer = new Thread(slow::observe);
    observer.start();
    asked.await();
    // Its lease runs out, and another node does the work.
    ObserverRig other = rig(EXTRACTIVE);
    slow.jdbi.useHandle(
        handle -> handle.execute("UPDATE observation_jobs SET due_at = UTC_TIMESTAMP(3)"));
    other.observe();
    ResourceDao.Known known = known(slow);
    done.countDown();
    observer.join();
    assertThat(known(slow)).isEqualTo(known);
    assertThat(known.generation()).isZero();
    assertThat(known.observations()).containsPattern(DOG);
  }

  @Test
  void aThreadDeletedWhileItIsCondensedIsNotKnown() throws Exception {
    ObserverRig[] rig = new ObserverRig[1];
    AtomicBoolean deleted = new AtomicBoolean();
    rig[0] =
        rig(
            (call, request) -> {
              if (isOfResource(request)
                  && request.text().contains("hazelnuts")
                  && deleted.compareAndSet(false, true)) {
                delete(rig[0], "food");
              }
              return EXTRACTIVE.answer(call, request);
            });
    say(rig[0], "pets", resource, "My dog is called Rex.");
    rig[0].createThread("food", resource);
    rig[0].append("food", saying("I am allergic to hazelnuts."));
    rig[0].observe();
    rig[0].jdbi.useHandle(
        handle -> handle.execute("UPDATE observation_jobs SET due_at = UTC_TIMESTAMP(3)"));
    rig[0].observe();
    assertThat(deleted).isTrue();
    assertThat(known(rig[0]).observations()).doesNotContain("hazelnuts");
    assertThat(known(rig[0]).sources()).isEqualTo(1);
  }

  private static boolean isOfResource(ModelClient.Request request) {
    return request.system().contains("over all of");
  }

  private static ObserverRig rig(FakeModel.Mood mood) {
    return ObserverRig.sharing(
        DATABASE,
        ObserverRig.settings("fake/observer", 300, 500, RESOURCE_TOKENS),
        new FakeModel(mood));
  }

  /** A fact, with enough around it to be noted. */
  private static List<NewMessage> saying(String fact) {
    List<NewMessage> messages = new ArrayList<>();
    messages.add(user(fact));
    for (int i = 0; i < 7; i++) {
      messages.add(user("So it goes on and on, as it always does here."));
    }
    return messages;
  }

  /** Says a fact in a thread, which is observed. */
  private static long say(ObserverRig rig, String thread, String resource, String fact) {
    long id = rig.createThread(thread, resource);
    rig.append(thread, saying(fact));
    rig.jdbi.useTransaction(handle -> ObservationJobs.request(handle, List.of(id)));
    rig.observe();
    return id;
  }

  private static void scope(ObserverRig rig, long thread, String scope) {
    rig.jdbi.useTransaction(
        handle ->
            new Observations(Clock.systemUTC(), rig.context)
                .configure(
                    handle,
                    new Observations.Subject(thread, "t", "r"),
                    rig.caller.projectName(),
                    own -> new ThreadConfig(null, null, null, scope, null, null)));
  }

  private static void delete(ObserverRig rig, String thread) {
    rig.memory
        .transactions()
        .write(
            handle -> {
              rig.memory.threads().delete(handle, rig.caller, thread);
              return true;
            });
    RemovedThreads.remove(rig.jdbi);
  }

  private ResourceDao.Known known(ObserverRig rig) {
    return rig.jdbi
        .withExtension(ResourceDao.class, dao -> dao.known(subject(rig)))
        .orElseThrow(() -> new AssertionError("nothing is known"));
  }

  private List<ObservationRecord> shown(ObserverRig rig) {
    return rig.jdbi.withExtension(
        ResourceDao.class, dao -> dao.history(subject(rig), null, null, 10, 0));
  }

  private String config(ObserverRig rig) {
    return shown(rig).get(0).config();
  }

  private int records(ObserverRig rig) {
    return count(rig, "resource_records");
  }

  private int count(ObserverRig rig, String table) {
    return rig.jdbi.withHandle(
        handle ->
            handle
                .select(
                    "SELECT COUNT(*) FROM " + table + " WHERE project_id = ? AND resource_id = ?",
                    rig.caller.projectId(),
                    resource)
                .mapTo(Integer.class)
                .one());
  }

  private ResourceDao.Resource subject(ObserverRig rig) {
    return new ResourceDao.Resource(rig.caller.projectId(), rig.caller.projectName(), resource);
  }
}
