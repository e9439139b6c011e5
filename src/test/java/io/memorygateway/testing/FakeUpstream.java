package io.memorygateway.testing;

import static java.util.Objects.requireNonNullElseGet;

import io.memorygateway.format.StrictProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A provider on loopback that does what the test says, down to the byte: raw sockets, one thread to
 * read and one to write for each connection, so that it sees a client that leaves while it is
 * silent itself.
 *
 * <p>Each request gets the next of the {@linkplain #enqueue enqueued} answers, else what the
 * {@linkplain #answer script} says; without either, a realistic one ({@link CannedReplies}).
 * Register it as an extension in a static field to have it reset before each test and closed in the
 * end, or use it in a try block.
 */
public final class FakeUpstream implements AutoCloseable, BeforeEachCallback, AfterAllCallback {
  private static final Function<RecordedRequest, Answer> CANNED = CannedReplies::answer;
  private static final int MAX_CHECKED_BYTES = 1 << 20;
  private static final Queue<Socket> HELD = new ConcurrentLinkedQueue<>();

  private final ServerSocket listener;
  private final Queue<Answer> enqueued = new ConcurrentLinkedQueue<>();
  private final List<RecordedRequest> requests = new CopyOnWriteArrayList<>();
  private final BlockingQueue<RecordedRequest> untaken = new LinkedBlockingQueue<>();
  private final List<Throwable> faults = new CopyOnWriteArrayList<>();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger accepted = new AtomicInteger();
  private volatile Function<RecordedRequest, Answer> script = CANNED;
  private volatile Function<RecordedRequest, Answer> modelsScript = CANNED;
  private volatile @Nullable FakeUpstream deputy;
  private volatile boolean strict = true;

  private FakeUpstream(ServerSocket listener) {
    this.listener = listener;
  }

  /** Starts one on a free port. */
  public static FakeUpstream start() {
    return start(0);
  }

  /** Starts one on this port; 0: a free one. */
  public static FakeUpstream start(int port) {
    try {
      ServerSocket listener = new ServerSocket();
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1024);
      FakeUpstream upstream = new FakeUpstream(listener);
      daemon("fake-upstream-accept", upstream::accept);
      return upstream;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A loopback port where nobody listens, nor ever will: connecting is refused. */
  @SuppressWarnings("resource") // To be closed with the JVM: until then nobody else gets the port.
  public static int closedPort() {
    try {
      Socket holder = new Socket();
      holder.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      HELD.add(holder);
      return holder.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** {@code http://127.0.0.1:PORT}, without a path. */
  public String url() {
    return "http://127.0.0.1:" + port();
  }

  /**
   * Takes what a strict provider refuses, until the next test.
   *
   * @param because what callers of the test send that is wrong
   */
  public FakeUpstream takingAll(String because) {
    strict = because.isEmpty();
    return this;
  }

  /** Answers every request that finds the queue empty. */
  public FakeUpstream answer(Function<RecordedRequest, Answer> newScript) {
    script = newScript;
    return this;
  }

  /** The same answer to every request that finds the queue empty. */
  public FakeUpstream answerAlways(Answer always) {
    return answer(request -> always);
  }

  /**
   * Answers GET requests for the list of models. The gateway sends them in the background once a
   * call with its own key was refused: they take no place in the queue, and are not recorded.
   */
  public FakeUpstream answerModels(Function<RecordedRequest, Answer> newScript) {
    modelsScript = newScript;
    return this;
  }

  /** Answers the next requests, one each, in this order. */
  public FakeUpstream enqueue(Answer... answers) {
    enqueued.addAll(List.of(answers));
    return this;
  }

  /** Every request so far, in the order of arrival. */
  public List<RecordedRequest> requests() {
    return List.copyOf(requests);
  }

  /** The oldest request not yet taken; waits up to a minute for it. */
  public RecordedRequest takeRequest() {
    try {
      RecordedRequest request = untaken.poll(TestTimeout.DEFAULT.toSeconds(), TimeUnit.SECONDS);
      if (request == null) {
        throw new AssertionError("no request came within a minute");
      }
      return request;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for a request", e);
    }
  }

  /** Connections accepted since the start. */
  public int connections() {
    return accepted.get();
  }

  /** Connections that are open now. */
  public int openConnections() {
    return open.size();
  }

  /** Forgets requests, queue and script; connections stay open. */
  public void reset() {
    enqueued.clear();
    requests.clear();
    untaken.clear();
    script = CANNED;
    modelsScript = CANNED;
    strict = true;
  }

  /** Closes the idle and the busy connections, as a restart of the upstream would. */
  public void dropConnections() {
    open.forEach(FakeUpstream::closeQuietly);
  }

  /** Ends everything. A script that threw, and a call that is refused, fail the test here. */
  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    dropConnections();
    if (!faults.isEmpty()) {
      throw new AssertionError("the fake upstream found a fault", faults.get(0));
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    reset();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    close();
  }

  /** Leaves requests, their answers and faults to another one, until it is null. */
  void leaveTo(@Nullable FakeUpstream other) {
    deputy = other;
  }

  Answer next(RecordedRequest request) {
    FakeUpstream other = deputy;
    if (other != null) {
      return other.next(request);
    }
    if (request.method().equals("GET") && request.path().endsWith("/models")) {
      return modelsScript.apply(request);
    }
    checkStrictly(request);
    requests.add(request);
    untaken.add(request);
    return requireNonNullElseGet(enqueued.poll(), () -> script.apply(request));
  }

  /** What no provider takes is a fault of the gateway, unless callers of the test send it so. */
  private void checkStrictly(RecordedRequest request) {
    if (strict && request.method().equals("POST") && request.body().length <= MAX_CHECKED_BYTES) {
      List<String> refused = StrictProvider.faults(request.path(), request.text());
      if (!refused.isEmpty()) {
        fault(new AssertionError("a strict provider refuses " + refused + ": " + request.text()));
      }
    }
  }

  void fault(Throwable fault) {
    FakeUpstream other = deputy;
    (other == null ? faults : other.faults).add(fault);
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        socket.setTcpNoDelay(true);
        open.add(socket);
        int number = accepted.incrementAndGet();
        FakeConnection connection = new FakeConnection(this, socket, number);
        daemon(
            "fake-upstream-" + port() + "-" + number,
            () -> {
              try {
                connection.serve();
              } finally {
                closeQuietly(socket);
                open.remove(socket);
              }
            });
      } catch (IOException e) {
        if (!listener.isClosed()) {
          fault(e);
        }
      }
    }
  }

  static void daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It was closed already, which is what is wanted.
    }
  }
}
