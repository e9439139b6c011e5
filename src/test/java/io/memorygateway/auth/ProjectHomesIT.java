package io.memorygateway.auth;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.CommandLine;
import io.memorygateway.database.Home;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §1: a project has a home, and what belongs to it carries that home. */
class ProjectHomesIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(config -> config.withObject("/database").putArray("homes").add(3).add(4));

  @Test
  void keysAndThreadsOfAProjectCarryItsHome() throws Exception {
    JsonNode made = GATEWAY.task("project-create?project=far&home=32767");
    assertThat(made.path("home").asInt()).isEqualTo(32_767);
    assertThat(made.path("name").asText()).isEqualTo("far");

    JsonNode key = GATEWAY.task("key-issue?project=far&name=first");
    assertThat(key.path("projectId")).isEqualTo(made.path("id"));
    createThread(key.path("key").asText(), "t");

    assertThat(home("SELECT id FROM projects WHERE name = 'far'")).isEqualTo(32_767);
    assertThat(home("SELECT id FROM api_keys WHERE name = 'first'")).isEqualTo(32_767);
    assertThat(home("SELECT id FROM threads WHERE public_id = 't'")).isEqualTo(32_767);
    assertThat(lastAct()).contains("key-issue", "project-create");
  }

  @Test
  void aNewProjectGetsTheHomeWithTheFewest() throws Exception {
    for (int i = 0; i < 4; i++) {
      GATEWAY.task("key-issue?project=even" + i + "&name=k");
    }
    List<Long> ids =
        jdbi()
            .withHandle(
                handle ->
                    handle
                        .createQuery("SELECT id FROM projects WHERE name LIKE 'even%'")
                        .mapTo(Long.class)
                        .list());
    assertThat(ids).map(id -> Home.of(id).number()).containsExactlyInAnyOrder(3, 4, 3, 4);
  }

  @Test
  void aHomeIsForGood() throws Exception {
    GATEWAY.task("project-create?project=kept&home=9");
    assertThat(status("project-create?project=kept&home=10")).isEqualTo(409);
    assertThat(status("project-create?project=kept2&home=32768")).isEqualTo(400);
    assertThat(status("project-create?project=kept2&home=-1")).isEqualTo(400);
    assertThat(status("project-create?project=kept2&home=x")).isEqualTo(400);
    assertThat(home("SELECT id FROM projects WHERE name = 'kept'")).isEqualTo(9);
  }

  @Test
  void theCommandDoesTheSame() throws Exception {
    CommandLine gateway = new CommandLine().with(DATABASE);
    CommandLine.Outcome made =
        gateway.run("project", "create", "--project", "told", "--home", "2", "config.yml");
    assertThat(made.status()).as(made.err()).isZero();
    assertThat(new ObjectMapper().readTree(made.out()).path("home").asInt()).isEqualTo(2);
    assertThat(gateway.run("key", "issue", "--project", "told", "--name", "k", "config.yml").out())
        .contains("msk_");
    assertThat(
            home(
                "SELECT id FROM api_keys WHERE name = 'k' AND project_id = (SELECT id FROM projects WHERE name = 'told')"))
        .isEqualTo(2);
  }

  /** As after a restore beneath a node: the thread gets another id, once its caller tries again. */
  @Test
  void anIdThatSomebodyHasIsNotUsed() throws Exception {
    JsonNode key = GATEWAY.task("key-issue?project=restored&name=k");
    createThread(key.path("key").asText(), "one");
    for (int next = 1; next < 16; next++) {
      int further = next;
      jdbi()
          .useHandle(
              handle ->
                  handle.execute(
                      "INSERT INTO threads (id, project_id, public_id, resource_id, created_at)"
                          + " SELECT id + ?, project_id, UUID(), 'r', created_at FROM threads WHERE"
                          + " public_id = 'one'",
                      further));
    }
    assertThat(create(key.path("key").asText(), "three").statusCode()).isEqualTo(503);
    createThread(key.path("key").asText(), "three");
  }

  @Test
  void neitherDoesAKeyGetIt() throws Exception {
    GATEWAY.task("project-create?project=keys&home=20");
    GATEWAY.task("key-issue?project=keys&name=here");
    jdbi()
        .useHandle(
            handle ->
                handle.execute(
                    "INSERT INTO api_keys (id, public_id, project_id, name, prefix, secret_hash,"
                        + " created_at) SELECT id + 1, UUID(), project_id, 'there', prefix,"
                        + " UNHEX(SHA2(UUID(), 256)), created_at FROM api_keys WHERE name = 'here'"));
    assertThat(status("key-issue?project=keys&name=next")).isEqualTo(503);
    assertThat(status("key-issue?project=keys&name=next")).isEqualTo(200);
  }

  @Test
  void norAProjectByItselfOrWithItsFirstKey() throws Exception {
    for (int home : new int[] {3, 4, 21}) {
      GATEWAY.task("project-create?project=here" + home + "&home=" + home);
      jdbi()
          .useHandle(
              handle ->
                  handle.execute(
                      "INSERT INTO projects (id, public_id, name, created_at) SELECT id + 1,"
                          + " UUID(), CONCAT(name, 'too'), created_at FROM projects WHERE name = ?",
                      "here" + home));
    }
    assertThat(status("project-create?project=next&home=21")).isEqualTo(503);
    assertThat(status("project-create?project=next&home=21")).isEqualTo(200);
    assertThat(status("key-issue?project=new&name=k")).isEqualTo(503);
    assertThat(status("key-issue?project=new&name=k")).isEqualTo(200);
    jdbi().useHandle(handle -> handle.execute("DELETE FROM projects WHERE name LIKE 'here%too'"));
  }

  private static Jdbi jdbi() {
    return DATABASE.jdbi();
  }

  private static int home(String query) {
    return jdbi()
        .withHandle(handle -> Home.of(handle.createQuery(query).mapTo(Long.class).one()).number());
  }

  private static String lastAct() {
    return jdbi()
        .withHandle(
            handle ->
                handle
                    .createQuery("SELECT GROUP_CONCAT(action) FROM audit_log")
                    .mapTo(String.class)
                    .one());
  }

  private static int status(String task) throws Exception {
    return GATEWAY
        .send(
            HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/tasks/" + task))
                .POST(BodyPublishers.noBody()))
        .statusCode();
  }

  private static HttpResponse<String> create(String key, String id) throws Exception {
    return GATEWAY.send(
        HttpRequest.newBuilder(URI.create(GATEWAY.url() + "/v1/memory/threads"))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString("{\"id\":\"" + id + "\",\"resourceId\":\"r\"}")));
  }

  private static void createThread(String key, String id) throws Exception {
    HttpResponse<String> made = create(key, id);
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
  }
}
