package io.memorygateway.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.operator.AdminCaller;
import io.memorygateway.operator.Role;
import io.memorygateway.testing.RawAnswer;
import io.memorygateway.testing.RawClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server of 16 threads; of 8, one caller that is no owner has 2 and all of them have 4. */
class AdminSharesTest {
  private final Server server = new Server(new QueuedThreadPool(16));
  private final ServerConnector connector = new ServerConnector(server, 1, 1);
  private final CountDownLatch go = new CountDownLatch(1);
  private final AtomicInteger working = new AtomicInteger();
  private final List<RawClient> clients = new ArrayList<>();

  /** Lets its callers be known by the headers X-Name and X-Role. */
  private static final class Login extends Handler.Wrapper {
    Login(Handler handler) {
      super(handler);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
      String name = request.getHeaders().get("X-Name");
      if (!name.equals("open")) {
        request.setAttribute(
            AdminCaller.ATTRIBUTE,
            new AdminCaller(name, Role.of(request.getHeaders().get("X-Role"))));
      }
      return super.handle(request, response, callback);
    }
  }

  /** Answers with the body; at /wait, once the test says so. */
  private final class Work extends Handler.Abstract {
    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
      working.incrementAndGet();
      if (Request.getPathInContext(request).endsWith("/wait")) {
        go.await();
      }
      String body = Content.Source.asString(request);
      response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length());
      Content.Sink.write(response, true, body, callback);
      return true;
    }
  }

  @BeforeEach
  void start() throws Exception {
    AdminShares shares = new AdminShares(8, Duration.ZERO);
    shares.setHandler(new Work());
    server.setHandler(new Login(shares));
    server.addConnector(connector);
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    go.countDown();
    for (RawClient client : clients) {
      client.close();
    }
    server.stop();
  }

  private RawClient send(String caller, String path, int length, String body) throws IOException {
    return send("POST", caller, path, length, body);
  }

  private RawClient send(String method, String caller, String path, int length, String body)
      throws IOException {
    RawClient client = new RawClient(connector.getLocalPort());
    clients.add(client);
    return client.send(
        "%s %s HTTP/1.1\r\nHost: x\r\nX-Name: %s\r\nX-Role: %s\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(method, path, caller, caller.replaceAll("\\d", ""), length, body));
  }

  private RawAnswer answer(String caller) throws IOException {
    return RawAnswer.parse(send(caller, "/", 5, "hello").readAnswer());
  }

  @Test
  void aBodyThatIsStillToComeHoldsNoThread() throws Exception {
    List<RawClient> slow = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      slow.add(send("viewer", "/", 5, "h"));
    }
    assertThat(answer("owner").body()).isEqualTo("hello");
    assertThat(answer("viewer").body()).isEqualTo("hello");
    assertThat(working.get()).isEqualTo(2);

    RawAnswer late = RawAnswer.parse(slow.get(39).send("ello").readAnswer());
    assertThat(late.status()).isEqualTo(200);
    assertThat(late.body()).isEqualTo("hello");
  }

  @Test
  void whoIsNoOwnerHasAShareOfTheThreads() throws Exception {
    hold("viewer1", 2);
    assertThat(answer("viewer1").status()).isEqualTo(503);
    hold("operator2", 2);
    assertThat(answer("viewer3").status()).isEqualTo(503);
    hold("owner", 5);
    assertThat(answer("owner").status()).isEqualTo(200);

    go.countDown();
    await().until(() -> answer("viewer3").status() == 200);
  }

  @Test
  void anOpenPathHasTheShareOfACaller() throws Exception {
    hold("open", 2);
    assertThat(read("open", "/wait").status()).isEqualTo(503);
    assertThat(read("open", "/ping").status()).isEqualTo(200);
    assertThat(read("viewer", "/ping").status()).isEqualTo(200);
    assertThat(answer("owner").status()).isEqualTo(200);
  }

  @Test
  void whoIsNoOwnerHasAShareOfWhatReadsTheDatabase() throws Exception {
    hold("viewer1", "/tasks/wait", 1);
    hold("viewer1", "/admin/api/wait", 1);
    assertThat(read("viewer1", "/admin/api/me").status()).isEqualTo(503);
    hold("viewer2", "/admin/api/wait", 1);
    assertThat(read("operator3", "/admin/api/me").status()).isEqualTo(503);
    assertThat(read("operator3", "/admin/api/audit/export").status()).isEqualTo(200);
    // A request that was served gives its thread back behind its answer.
    await().until(() -> read("operator3", "/console/app.js").status() == 200);
    assertThat(read("owner", "/admin/api/me").status()).isEqualTo(200);

    go.countDown();
    await().until(() -> read("operator3", "/admin/api/me").status() == 200);
  }

  private RawAnswer read(String caller, String path) throws IOException {
    return RawAnswer.parse(send("GET", caller, path, 0, "").readAnswer());
  }

  private void hold(String caller, int number) throws IOException {
    hold(caller, "/wait", number);
  }

  private void hold(String caller, String path, int number) throws IOException {
    int before = working.get();
    for (int i = 0; i < number; i++) {
      send(path.startsWith("/admin") ? "GET" : "POST", caller, path, 0, "");
    }
    await().until(() -> working.get() == before + number);
  }
}
