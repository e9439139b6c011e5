package io.memorygateway.search;

import io.memorygateway.database.Transactions;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.search.SearchStatements.Position;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the messages of hits from the database, so that nothing is shown that was deleted since it
 * was indexed: first their sizes, then as many contents as the bounds admit.
 */
final class HitReader {
  /** Bytes of a message that count towards {@link Bounds#enoughBytes}, at most. */
  private static final int MAX_COUNTED_BYTES = 700;

  /**
   * What is read at most.
   *
   * @param hits their number
   * @param maxBytes of contents
   * @param atLeastOne whether the first hit is read even if it is larger
   * @param enoughBytes bytes of contents after which no further hit is read; of a large message
   *     only a part counts
   * @param isShared whether only messages of shared threads are read
   */
  record Bounds(int hits, long maxBytes, boolean atLeastOne, long enoughBytes, boolean isShared) {}

  /**
   * A message that may become a hit.
   *
   * @param neighbours seqs, the nearest first
   */
  record Candidate(
      ThreadScope thread,
      Position position,
      double score,
      List<String> matched,
      List<Long> neighbours) {

    private List<Position> nearby() {
      return neighbours.stream().map(seq -> new Position(thread.id(), seq)).toList();
    }
  }

  /**
   * A hit.
   *
   * @param positions the messages that are read for it, ascending
   */
  private record Shown(Candidate candidate, SortedSet<Position> positions) {}

  private final Transactions transactions;
  private final Bounds bounds;
  private final List<Shown> shown = new ArrayList<>();
  private final Set<Position> counted = new HashSet<>();
  private Map<Position, Long> sizes = Map.of();
  private long bytes;
  private long countedBytes;
  private boolean stale;

  /** A reader of the hits of one search. */
  HitReader(Transactions transactions, Bounds bounds) {
    this.transactions = transactions;
    this.bounds = bounds;
  }

  /**
   * Reads hits.
   *
   * @param candidates best first
   * @param heap called with the number of bytes of their contents before these are read
   */
  List<Hit> read(List<Candidate> candidates, LongConsumer heap) {
    if (candidates.isEmpty()) {
      return List.of();
    }
    Set<Position> places = new HashSet<>();
    for (Candidate candidate : candidates) {
      places.add(candidate.position());
      places.addAll(candidate.nearby());
    }
    sizes =
        transactions.read(
            handle ->
                bounds.isShared
                    ? SearchStatements.sharedSizes(handle, places)
                    : SearchStatements.sizes(handle, places));
    stale = candidates.stream().anyMatch(each -> !sizes.containsKey(each.position()));
    candidates.forEach(this::take);
    if (shown.isEmpty()) {
      return List.of();
    }
    shown.forEach(this::addNeighbours);
    heap.accept(bytes);
    Set<Position> read =
        shown.stream().flatMap(hit -> hit.positions.stream()).collect(Collectors.toSet());
    Map<Position, SearchStatements.Row> rows =
        transactions.read(handle -> SearchStatements.rows(handle, read));
    return shown.stream().map(hit -> hit(hit, rows)).filter(Objects::nonNull).toList();
  }

  /** Whether a candidate was deleted, or is not shared. */
  boolean isStale() {
    return stale;
  }

  /** Takes a message, without its neighbours: no hit is left out for those of another. */
  private void take(Candidate candidate) {
    Long own = sizes.get(candidate.position());
    if (own == null || shown.size() == bounds.hits || countedBytes >= bounds.enoughBytes) {
      return;
    }
    if (fits(own) || (bounds.atLeastOne && shown.isEmpty())) {
      bytes += own;
      SortedSet<Position> positions = new TreeSet<>(Comparator.comparingLong(Position::seq));
      positions.add(candidate.position());
      shown.add(new Shown(candidate, positions));
      count(candidate.position());
      candidate.nearby().forEach(this::count);
    }
  }

  private void count(Position position) {
    if (counted.add(position)) {
      countedBytes += Math.min(sizes.getOrDefault(position, 0L), MAX_COUNTED_BYTES);
    }
  }

  /** Adds neighbours as far as they fit, those of the best hits first, without gaps. */
  private void addNeighbours(Shown hit) {
    Position position = hit.candidate.position();
    boolean[] ended = new boolean[2];
    for (Position near : hit.candidate.nearby()) {
      Long size = sizes.get(near);
      int side = near.seq() < position.seq() ? 0 : 1;
      ended[side] |= size != null && !fits(size);
      if (size != null && !ended[side]) {
        hit.positions.add(near);
        bytes += size;
      }
    }
  }

  private boolean fits(long more) {
    return bytes + more <= bounds.maxBytes;
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
