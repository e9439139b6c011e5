package io.memorygateway.search;

import io.memorygateway.database.Transactions;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.search.SearchStatements.Position;
import io.memorygateway.search.ThreadTerms.Sized;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;

/**
 * Reads the messages of hits from the database, so that nothing is shown that was deleted since it
 * was indexed: as many as the bounds admit by the sizes that were indexed, and for those that are
 * gone, others.
 */
final class HitReader {
  /** What a message may always have grown to since it was indexed. */
  private static final long GROWN_BYTES = 64 << 10;

  /**
   * Bytes that count towards {@link Bounds#enoughBytes} of a hit that a user said, at most; of what
   * others said half as many, and of neighbours half as many, as that much is quoted of them.
   */
  private static final int MAX_COUNTED_BYTES = 700;

  private static final byte USER = Roles.number("user");

  /**
   * Bytes that each message counts besides: its speaker, its share of dates, of gaps and titles.
   */
  private static final int LINE_BYTES = 10;

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
   * @param neighbours the nearest first
   */
  record Candidate(
      ThreadScope thread,
      Sized message,
      double score,
      List<String> matched,
      List<Sized> neighbours) {

    private Position position() {
      return at(message);
    }

    private Position at(Sized near) {
      return new Position(thread.id(), near.seq());
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
  private final Map<Position, SearchStatements.Row> rows = new HashMap<>();
  private final Set<Position> gone = new HashSet<>();
  private long bytes;
  private long countedBytes;
  private boolean stale;

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
    boolean isAgain;
    do {
      choose(candidates);
      Set<Position> unread =
          shown.stream()
              .flatMap(hit -> hit.positions.stream())
              .collect(Collectors.toCollection(HashSet::new));
      rows.keySet().retainAll(unread);
      unread.removeAll(rows.keySet());
      isAgain = !unread.isEmpty() && !read(unread, heap);
    } while (isAgain);
    return shown.stream().map(this::hit).toList();
  }

  /** Whether all of them were there. */
  private boolean read(Set<Position> positions, LongConsumer heap) {
    heap.accept(bytes);
    long most = Math.max(bytes, GROWN_BYTES);
    rows.putAll(
        transactions.read(
            handle -> SearchStatements.rows(handle, positions, most, bounds.isShared)));
    positions.removeAll(rows.keySet());
    return !gone.addAll(positions);
  }

  /** Whether a candidate was deleted, or is not shared. */
  boolean isStale() {
    return stale;
  }

  private void choose(List<Candidate> candidates) {
    shown.clear();
    counted.clear();
    bytes = 0;
    countedBytes = 0;
    candidates.forEach(this::take);
    shown.forEach(this::addNeighbours);
  }

  /** Takes a message, without its neighbours: no hit is left out for those of another. */
  private void take(Candidate candidate) {
    Position position = candidate.position();
    boolean isGone = gone.contains(position);
    stale |= isGone;
    if (isGone || shown.size() == bounds.hits || countedBytes >= bounds.enoughBytes) {
      return;
    }
    int own = candidate.message.bytes();
    if (fits(own) || (bounds.atLeastOne && shown.isEmpty())) {
      bytes += own;
      SortedSet<Position> positions = new TreeSet<>(Comparator.comparingLong(Position::seq));
      positions.add(position);
      shown.add(new Shown(candidate, positions));
      count(position, candidate.message, MAX_COUNTED_BYTES);
      candidate.neighbours.forEach(near -> count(candidate.at(near), near, MAX_COUNTED_BYTES / 2));
    }
  }

  private void count(Position position, Sized message, int max) {
    if (!gone.contains(position) && counted.add(position)) {
      countedBytes +=
          Math.min(message.bytes(), message.role() == USER ? max : max / 2) + LINE_BYTES;
    }
  }

  /** Adds neighbours as far as they fit, those of the best hits first, without gaps. */
  private void addNeighbours(Shown hit) {
    boolean[] ended = new boolean[2];
    for (Sized near : hit.candidate.neighbours) {
      Position position = hit.candidate.at(near);
      int side = near.seq() < hit.candidate.message.seq() ? 0 : 1;
      boolean isThere = !gone.contains(position);
      ended[side] |= isThere && !fits(near.bytes());
      if (isThere && !ended[side]) {
        hit.positions.add(position);
        bytes += near.bytes();
      }
    }
  }

  private boolean fits(int more) {
    return bytes + more <= bounds.maxBytes;
  }

  private Hit hit(Shown hit) {
    Candidate candidate = hit.candidate;
    SearchStatements.Row own = row(candidate.position());
    List<MessageRow> before = new ArrayList<>();
    List<MessageRow> after = new ArrayList<>();
    for (Position position : hit.positions) {
      if (!position.equals(candidate.position())) {
        (position.seq() < candidate.message.seq() ? before : after).add(row(position).message());
      }
    }
    return new Hit(
        candidate.thread.publicId(),
        own.title(),
        own.message(),
        candidate.score,
        candidate.matched,
        before,
        after);
  }

  private SearchStatements.Row row(Position position) {
    return Objects.requireNonNull(rows.get(position));
  }
}
