package io.memorygateway.testing;

import io.memorygateway.database.Home;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;

/** Stands between the gateway and its database, and can fail like a network or a server. */
public final class DatabaseRelay implements AutoCloseable {
  /** An id of a home other than the first. */
  private static final Pattern ID = Pattern.compile("(?<!\\d)[1-9]\\d{14,18}(?!\\d)");

  /** A table that is in no shard of a home. */
  private static final Pattern UNDIVIDED =
      Pattern.compile("(FROM|JOIN|INTO|UPDATE) (projects|api_keys|id_moves|audit_log|leases)\\b");

  private final ServerSocket listener;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile int target;
  private volatile String watched = "";
  private volatile boolean refusing;
  private volatile boolean silent;
  private volatile CountDownLatch frozen = new CountDownLatch(0);
  private volatile CountDownLatch frozenHome = new CountDownLatch(0);
  private volatile int home;
  private final AtomicInteger held = new AtomicInteger();
  private final AtomicReference<LostCommit> lost = new AtomicReference<>();
  private volatile boolean cutAfterwards;
  private volatile String blanked = "";
  private final AtomicInteger blankings = new AtomicInteger();

  /** What happens to a commit whose connection breaks. */
  public enum LostCommit {
    /** It is carried out, and the answer does not come back. */
    ANSWER,
    /** It does not arrive, and the connection stands, as all do: {@link #hang}. */
    HELD,
    /** It does not arrive. */
    COMMIT
  }

  private DatabaseRelay(ServerSocket listener, int target) {
    this.listener = listener;
    this.target = target;
  }

  public static DatabaseRelay to(int port) throws IOException {
    DatabaseRelay relay =
        new DatabaseRelay(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), port);
    relay.start(relay::accept);
    return relay;
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** Every connection breaks, and none is made any more. */
  public void cut() {
    refusing = true;
    dropAll();
  }

  /** Every connection breaks, but new ones are made. */
  public void dropAll() {
    List.copyOf(sockets).forEach(DatabaseRelay::close); // not those of callers who are back already
  }

  /** Connections stand, and nothing comes through. */
  public void hang() {
    silent = true;
  }

  /** Connections stand, and what is sent arrives after {@link #thaw}. */
  public void freeze() {
    frozen = new CountDownLatch(1);
  }

  /**
   * The same of connections on which a statement names an id of a home, as if its shard stood
   * still; they must not be encrypted.
   */
  public void freeze(int number) {
    home = number;
    frozenHome = new CountDownLatch(1);
  }

  /** Connections that stand because of a home. */
  public int held() {
    return held.get();
  }

  public void thaw() {
    frozen.countDown();
    frozenHome.countDown();
  }

  /**
   * The next transaction that stores messages loses its connection at the commit; others are left
   * alone. The connection must not be encrypted.
   *
   * @param andCut whether no connection is made afterwards
   */
  public void loseNextCommit(LostCommit what, boolean andCut) {
    loseNextCommit("INSERT INTO messages", what, andCut);
  }

  /** The same of the next transaction with such a statement. */
  public void loseNextCommit(String statement, LostCommit what, boolean andCut) {
    watched = statement;
    cutAfterwards = andCut;
    lost.set(what);
  }

  /** Whether the commit that was to be lost has been. */
  public boolean hasLostCommit() {
    return lost.get() == null;
  }

  /**
   * Takes a clause out of all statements on their way, as a server does that reads it and does not
   * heed it. Connections must not be encrypted.
   *
   * @param clause as it stands in the statements; empty for none
   */
  public void blank(String clause) {
    blanked = clause;
  }

  /** How many statements had their clause taken out. */
  public int blankings() {
    return blankings.get();
  }

  /** All is well again, with the server on this port. */
  public void restore(int port) {
    target = port;
    // Nobody who comes back at once is let in to a relay that is still silent, to wait for ever.
    refusing = true;
    dropAll();
    silent = false;
    refusing = false;
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        if (refusing) {
          close(client);
          continue;
        }
        Socket server = new Socket();
        try {
          server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
        } catch (IOException e) {
          close(client);
          continue;
        }
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        sockets.add(client);
        sockets.add(server);
        if (refusing) {
          // Cut while this one was being made.
          close(client);
          close(server);
        }
        AtomicBoolean muted = new AtomicBoolean();
        start(() -> pump(client, server, new Statements(muted)));
        start(() -> pump(server, client, bytes -> !muted.get()));
      } catch (IOException e) {
        // The listener is closed.
      }
    }
  }

  /** Looks at what comes through. */
  private interface Watch {
    /** Returns when it may go on. */
    default void await(String bytes) throws InterruptedException {}

    /** Whether it goes on; if not, the connection breaks. */
    boolean passes(String bytes);

    /** Changes it on its way; its length stays. */
    default void edit(String bytes, byte[] buffer) {}
  }

  /** Watches the statements of one connection for the commit that is to be lost. */
  private final class Statements implements Watch {
    private final AtomicBoolean muted;
    private boolean isWatched;

    Statements(AtomicBoolean muted) {
      this.muted = muted;
    }

    @Override
    public void await(String bytes) throws InterruptedException {
      CountDownLatch thawed = frozenHome;
      if (thawed.getCount() > 0
          && !UNDIVIDED.matcher(bytes).find()
          && ID.matcher(bytes)
              .results()
              .anyMatch(id -> Home.of(Long.parseLong(id.group())).number() == home)) {
        held.incrementAndGet();
        thawed.await();
        held.decrementAndGet();
      }
    }

    @Override
    public boolean passes(String bytes) {
      LostCommit what = lost.get();
      if (what == null) {
        isWatched = false;
        return true;
      }
      isWatched |= bytes.contains(watched);
      if (!isWatched
          || !bytes.toLowerCase(Locale.ROOT).contains("commit")
          || !lost.compareAndSet(what, null)) {
        return true;
      }
      if (what == LostCommit.HELD) {
        hang();
        return true;
      }
      refusing = cutAfterwards;
      muted.set(true);
      return what == LostCommit.ANSWER;
    }

    @Override
    public void edit(String bytes, byte[] buffer) {
      String clause = blanked;
      for (int at = clause.isEmpty() ? -1 : bytes.indexOf(clause);
          at >= 0;
          at = bytes.indexOf(clause, at + 1)) {
        Arrays.fill(buffer, at, at + clause.length(), (byte) ' ');
        blankings.incrementAndGet();
      }
    }
  }

  private void pump(Socket from, Socket to, Watch watch) {
    byte[] buffer = new byte[16_384];
    boolean goes = true;
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read >= 0 && goes; read = goes ? in.read(buffer) : -1) {
        frozen.await();
        String bytes = new String(buffer, 0, read, StandardCharsets.ISO_8859_1);
        watch.await(bytes);
        goes = watch.passes(bytes);
        watch.edit(bytes, buffer);
        if (goes && !silent) {
          out.write(buffer, 0, read);
        }
      }
    } catch (IOException | InterruptedException e) {
      // One end is gone, so is the other.
    }
    end(from);
    // That one end is gone does not come through either.
    if (!silent) {
      end(to);
    }
    // Only the one that cut: another may get here when all is well again.
    if (!goes && refusing) {
      dropAll();
    }
  }

  private void end(Socket socket) {
    sockets.remove(socket);
    close(socket);
  }

  private void start(Runnable work) {
    Thread thread = new Thread(work, "relay");
    thread.setDaemon(true);
    thread.start();
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    thaw();
    listener.close();
    dropAll();
  }
}
