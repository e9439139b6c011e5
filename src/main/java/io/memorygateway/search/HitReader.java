package io.memorygateway.search;

import io.memorygateway.database.Transactions;
import io.memorygateway.memory.MessageRow;
import io.memorygateway.search.SearchStatements.Position;
import io.memorygateway.search.SearchStatements.Size;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the messages of hits from the database, so that nothing is shown that was deleted since it
 * was indexed. They are read in a few statements, whose results are bounded in bytes.
 */
final class HitReader {
  /** Messages that are read by one statement. */
  private static final int PLACES_AT_ONCE = 32;

  private final Transactions transactions;
  private final int limit;
  private final int context;
  private final long maxBytes;
  private final boolean atLeastOne;
  private final List<Shown> shown = new ArrayList<>();
  private long bytes;
  private boolean full;

  /**
   * A reader without hits so far.
   *
   * @param limit hits at most
   * @param context neighbours on each side
   * @param maxBytes of contents
   * @param atLeastOne whether the first message is shown even if it is larger
   */
  HitReader(Transactions transactions, int limit, int context, long maxBytes, boolean atLeastOne) {
    this.transactions = transactions;
    this.limit = limit;
    this.context = context;
    this.maxBytes = maxBytes;
    this.atLeastOne = atLeastOne;
  }

  /**
   * A message that may become a hit.
   *
   * @param position its position
   */
  record Candidate(ThreadScope thread, Position position, double score, List<String> matched) {}

  /**
   * A hit.
   *
   * @param nearest its neighbours, the nearest first
   * @param positions the messages to be read for it, ascending
   */
  private record Shown(Candidate candidate, List<Size> nearest, TreeSet<Position> positions) {}

  /**
   * Takes candidates, best first.
   *
   * @return whether there are as many hits as requested, or as fit
   */
  boolean take(List<Candidate> candidates) {
    for (int from = 0; from < candidates.size() && !full; from += PLACES_AT_ONCE) {
      List<Candidate> some =
          candidates.subList(from, Math.min(from + PLACES_AT_ONCE, candidates.size()));
      List<Position> positions = some.stream().map(Candidate::position).toList();
      Map<Position, List<Size>> existing =
          transactions.readOn(
              connection -> SearchStatements.around(connection, positions, context));
      for (Candidate candidate : some) {
        List<Size> near = existing.get(candidate.position());
        if (near != null && !full) {
          take(candidate, near);
        }
      }
    }
    return full;
  }

  /** Takes a message, without its neighbours: no hit is left out for those of another. */
  private void take(Candidate candidate, List<Size> near) {
    Position position = candidate.position();
    List<Size> nearest = new ArrayList<>();
    long own = 0;
    for (Size size : near) {
      if (size.position().equals(position)) {
        own = size.bytes();
      } else {
        nearest.add(size);
      }
    }
    if (fits(own) || (atLeastOne && shown.isEmpty())) {
      bytes += own;
      nearest.sort(Comparator.comparingLong(size -> distance(size, position)));
      TreeSet<Position> positions = new TreeSet<>(Comparator.comparingLong(Position::seq));
      positions.add(position);
      shown.add(new Shown(candidate, nearest, positions));
      full = shown.size() == limit;
    }
  }

  /** Adds neighbours as far as they fit, those of the best hits first, without gaps. */
  private void addNeighbours(Shown hit) {
    Position position = hit.candidate.position();
    boolean[] ended = new boolean[2];
    for (Size size : hit.nearest) {
      int side = size.position().seq() < position.seq() ? 0 : 1;
      ended[side] |= !fits(size.bytes());
      if (!ended[side]) {
        hit.positions.add(size.position());
        bytes += size.bytes();
      }
    }
  }

  private boolean fits(long more) {
    return bytes + more <= maxBytes;
  }

  private static long distance(Size size, Position position) {
    return Math.abs(size.position().seq() - position.seq());
  }

  /**
   * Reads the hits.
   *
   * @param heap called with the number of bytes of their contents before these are read
   */
  List<Hit> read(LongConsumer heap) {
    if (shown.isEmpty()) {
      return List.of();
    }
    shown.forEach(this::addNeighbours);
    heap.accept(bytes);
    Map<Long, TreeSet<Long>> seqs = new HashMap<>();
    for (Shown hit : shown) {
      for (Position position : hit.positions) {
        seqs.computeIfAbsent(position.thread(), key -> new TreeSet<>()).add(position.seq());
      }
    }
    Map<Position, SearchStatements.Row> rows =
        transactions.readOn(connection -> SearchStatements.rows(connection, seqs));
    return shown.stream().map(hit -> hit(hit, rows)).filter(Objects::nonNull).toList();
  }

  private static @Nullable Hit hit(Shown shown, Map<Position, SearchStatements.Row> rows) {
    Candidate candidate = shown.candidate;
    SearchStatements.Row own = rows.get(candidate.position());
    if (own == null) {
      return null; // deleted meanwhile
    }
    List<MessageRow> before = new ArrayList<>();
    List<MessageRow> after = new ArrayList<>();
    for (Position position : shown.positions) {
      SearchStatements.Row row = rows.get(position);
      if (row != null && !position.equals(candidate.position())) {
        (position.seq() < candidate.position().seq() ? before : after).add(row.message());
      }
    }
    return new Hit(
        candidate.thread().publicId(),
        own.title(),
        own.message(),
        candidate.score(),
        candidate.matched(),
        before,
        after);
  }
}
