package io.memorygateway.testing;

import java.io.IOException;
import java.sql.SQLException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The one gateway of a JVM with the shipped config.yml, which test classes share; each has a key of
 * a new project. It starts with the first class that registers it in a static field, and does not
 * observe.
 *
 * <p>It is for tests of what a project sees. Classes that look at a whole node, its metrics or
 * whole tables, or that leave a mark on them, start a {@link TestGateway} of their own.
 */
public final class SharedGateway extends ReachableGateway
    implements BeforeAllCallback, AfterAllCallback {
  private final @Nullable FakeUpstream upstream;
  private Node node;
  private String key;
  private int loggedBefore;

  /** For a class that calls no model. */
  public SharedGateway() {
    this(null);
  }

  /** In front of the class's own upstream, which stands for every provider. */
  public SharedGateway(@Nullable FakeUpstream upstream) {
    this.upstream = upstream;
  }

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    node = Node.of(context);
    node.upstream().leaveTo(upstream);
    node.gateway().takeLog();
    loggedBefore = node.gateway().log().length();
    key = issueKey("shared-" + UUID.randomUUID());
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (node != null) { // null where it could not be started
      node.upstream().leaveTo(null);
    }
  }

  public TestDatabase database() {
    return node.database();
  }

  @Override
  public int port() {
    return node.gateway().port();
  }

  @Override
  int adminPort() {
    return node.gateway().adminPort();
  }

  /** A valid key of the class's project. */
  @Override
  public String key() {
    return key;
  }

  @Override
  public String log() throws IOException {
    return node.gateway().log().substring(loggedBefore);
  }

  /** What the classes share; closed by JUnit when its session ends. */
  private record Node(TestDatabase database, FakeUpstream upstream, TestGateway gateway)
      implements AutoCloseable {

    static Node of(ExtensionContext context) throws Exception {
      ExtensionContext.Store store =
          context.getStore(
              ExtensionContext.StoreScope.LAUNCHER_SESSION,
              ExtensionContext.Namespace.create(SharedGateway.class));
      Node node = store.get(Node.class, Node.class);
      if (node == null) {
        node = start(context);
        // Put when it has started: what is stored last, is closed before the database's server.
        store.put(Node.class, node);
      }
      return node;
    }

    private static Node start(ExtensionContext context) throws Exception {
      TestDatabase database = new TestDatabase();
      database.beforeAll(context);
      FakeUpstream upstream = FakeUpstream.start();
      // To observe what one class leaves behind would take longer than the tests of the next one.
      TestGateway gateway =
          new TestGateway(database, upstream)
              .configured(config -> config.withObject("/observation").put("workers", 0));
      gateway.start();
      return new Node(database, upstream, gateway);
    }

    @Override
    public void close() throws IOException, SQLException {
      gateway.stop();
      upstream.close();
      database.drop();
    }
  }
}
