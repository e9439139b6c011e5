package io.memorygateway.admin;

import io.memorygateway.concurrent.Shares;
import io.memorygateway.concurrent.Shares.Limit;
import io.memorygateway.http.api.JettyErrorHandler;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.operator.AdminCaller;
import io.memorygateway.operator.Role;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Promise;
import org.jspecify.annotations.Nullable;

/**
 * Handler behind the login that keeps one caller from taking the admin port from others. The body
 * of a request is received before a thread works at it, and of the threads callers that are no
 * owners have half, one of them a quarter. Of what reads the database three requests of theirs are
 * worked at, two of one caller; others wait for a moment.
 */
final class AdminShares extends Handler.Wrapper {
  /** Bodies that are being received at a time; each has 64 KiB at most. */
  private static final int BODIES = 512;

  private static final ApiError REFUSED =
      ApiError.unavailable(
          "This caller, or all that are no owners, have as many requests on the admin port as they"
              + " may; try again.",
          1);

  /** Of requests that read the database: reports have {@code ReportConnections}, one more. */
  private static final int READS = 3;

  private static final int READS_OF_ONE = 2;

  private static final Set<String> READING = Set.of("GET", "HEAD");

  private final Shares shares = new Shares(0);
  private final Shares reads;
  private final int threads;
  private final long maxWaitNanos;

  /**
   * @param threads of the admin port
   * @param maxWait longest wait for a place among those that read the database
   */
  AdminShares(int threads, Duration maxWait) {
    this.threads = threads;
    this.maxWaitNanos = maxWait.toNanos();
    this.reads = new Shares(threads);
  }

  private record BodiesOf(String caller) {}

  private record ThreadsOf(String caller) {}

  private record ReadsOf(String caller) {}

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    AdminCaller caller = caller(request);
    if (caller == null) {
      return super.handle(request, response, callback);
    }
    if (request.getLength() == 0) {
      return work(caller, request, response, callback);
    }
    Shares.Share share =
        shares.open(
            new Limit(new BodiesOf(caller.name()), BODIES / 2), new Limit("bodies", BODIES));
    if (share.acquire(0) != null) {
      return refuse(request, response, callback);
    }
    Promise.Completable<ByteBuffer> body = new Promise.Completable<>();
    Content.Source.asByteBuffer(request, body);
    if (body.isDone()) {
      share.close();
      received(body, caller, request, response, callback);
      return true;
    }
    // The port's own threads: those of the application port may all be taken.
    Executor executor = request.getConnectionMetaData().getConnector().getExecutor();
    var unused =
        body.whenComplete((bytes, failure) -> share.close())
            .handleAsync(
                (bytes, failure) -> {
                  request
                      .getContext()
                      .run(() -> received(body, caller, request, response, callback));
                  return bytes;
                },
                executor)
            .exceptionally(
                rejected -> {
                  // The port is being closed.
                  callback.failed(rejected);
                  return null;
                });
    return true;
  }

  /**
   * Who asks: of a path that is open without a login, all that do as one. Null for a file of the
   * console, which is no work, and which an owner's page needs before it can log in.
   */
  private static @Nullable AdminCaller caller(Request request) {
    if (request.getAttribute(AdminCaller.ATTRIBUTE) instanceof AdminCaller caller) {
      return caller;
    }
    String path = Request.getPathInContext(request);
    return AdminAuthConfiguration.isOfConsole(path) ? null : new AdminCaller(path, Role.VIEWER);
  }

  private void received(
      CompletableFuture<ByteBuffer> body,
      AdminCaller caller,
      Request request,
      Response response,
      Callback callback) {
    Throwable failure = body.handle((bytes, thrown) -> thrown).join();
    try {
      if (failure == null
          && !work(caller, new Received(request, body.join()), response, callback)) {
        Response.writeError(request, response, callback, 404);
      }
    } catch (Exception | Error e) {
      failure = e;
    }
    if (failure != null) {
      Response.writeError(request, response, callback, failure);
    }
  }

  private boolean work(AdminCaller caller, Request request, Response response, Callback callback)
      throws Exception {
    if (caller.role().includes(Role.OWNER)) {
      return super.handle(request, response, callback);
    }
    try (Shares.Share thread =
            shares.open(
                new Limit(new ThreadsOf(caller.name()), Math.max(1, threads / 4)),
                new Limit("threads", Math.max(1, threads / 2)));
        Shares.Share read =
            reads.open(
                new Limit(new ReadsOf(caller.name()), READS_OF_ONE), new Limit("reads", READS))) {
      if (thread.acquire(0) == null && (!reads(request) || read.acquire(maxWaitNanos) == null)) {
        return super.handle(request, response, callback);
      }
    }
    return refuse(request, response, callback); // by when it holds nothing
  }

  /** Whether it may take long in the database; exports, which hold no connection, have a bound. */
  private static boolean reads(Request request) {
    String path = Request.getPathInContext(request);
    return path.startsWith("/tasks/")
        || (path.startsWith("/admin/api/")
            && READING.contains(request.getMethod())
            && !path.endsWith("/export"));
  }

  private static boolean refuse(Request request, Response response, Callback callback) {
    JettyErrorHandler.answer(REFUSED, request, response, callback);
    return true;
  }

  /** Request whose body is there. */
  private static final class Received extends Request.Wrapper {
    private final Content.Source body;

    Received(Request request, ByteBuffer bytes) {
      super(request);
      this.body = Content.Source.from(bytes);
    }

    @Override
    public Content.@Nullable Chunk read() {
      return body.read();
    }

    @Override
    public void demand(Runnable demanded) {
      body.demand(demanded);
    }

    @Override
    public void fail(Throwable failure) {
      body.fail(failure);
    }
  }
}
