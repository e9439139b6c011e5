package io.memorygateway.search;

import io.memorygateway.database.Transactions;
import io.memorygateway.memory.MessageRow;
import io.memorygateway.search.SearchStatements.Place;
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
 * Reads what was found from the database, so that nothing is shown that was deleted since it was
 * indexed. All of it is read in a few statements, whose results are bounded in bytes.
 */
final class HitReader {
  /** Messages that are looked for in one statement. */
  private static final int PLACES_AT_ONCE = 32;

  private final Transactions transactions;
  private final int limit;
  private final int context;
  private final long mostBytes;
  private final boolean atLeastOne;
  private final List<Shown> shown = new ArrayList<>();
  private long bytes;
  private boolean full;

  /**
   * No hits yet.
   *
   * @param limit hits at most
   * @param context neighbours on each side
   * @param mostBytes of contents
   * @param atLeastOne whether the first message is shown even if it is larger
   */
  HitReader(Transactions transactions, int limit, int context, long mostBytes, boolean atLeastOne) {
    this.transactions = transactions;
    this.limit = limit;
    this.context = context;
    this.mostBytes = mostBytes;
    this.atLeastOne = atLeastOne;
  }

  /**
   * A candidate.
   *
   * @param place where it stands
   */
  record Candidate(ThreadScope thread, Place place, double score, List<String> matched) {}

  /** A hit whose messages are to be read, ascending. */
  private record Shown(Candidate candidate, List<Place> places) {}

  /**
   * Takes candidates, best first.
   *
   * @return whether there are as many hits as were wanted, or as fit
   */
  boolean take(List<Candidate> candidates) {
    for (int from = 0; from < candidates.size() && !full; from += PLACES_AT_ONCE) {
      List<Candidate> some =
          candidates.subList(from, Math.min(from + PLACES_AT_ONCE, candidates.size()));
      List<Place> places = some.stream().map(Candidate::place).toList();
      Map<Place, List<Size>> there =
          transactions.readOn(connection -> SearchStatements.around(connection, places, context));
      for (Candidate candidate : some) {
        List<Size> near = there.get(candidate.place());
        if (near != null && !full) {
          take(candidate, near);
        }
      }
    }
    return full;
  }

  private void take(Candidate candidate, List<Size> near) {
    List<Size> nearest = new ArrayList<>(near);
    long seq = candidate.place().seq();
    nearest.sort(Comparator.comparingLong(size -> Math.abs(size.place().seq() - seq)));
    List<Place> places = new ArrayList<>();
    for (Size size : nearest) {
      boolean first = atLeastOne && places.isEmpty() && shown.isEmpty();
      if (bytes + size.bytes() > mostBytes && !first) {
        full = atLeastOne;
        break;
      }
      places.add(size.place());
      bytes += size.bytes();
    }
    if (!places.isEmpty()) {
      places.sort(Comparator.comparingLong(Place::seq));
      shown.add(new Shown(candidate, places));
    }
    full |= shown.size() == limit;
  }

  /**
   * The hits.
   *
   * @param room is told how many bytes their contents have before they are read
   */
  List<Hit> read(LongConsumer room) {
    if (shown.isEmpty()) {
      return List.of();
    }
    room.accept(bytes);
    Map<Long, TreeSet<Long>> seqs = new HashMap<>();
    for (Shown hit : shown) {
      for (Place place : hit.places) {
        seqs.computeIfAbsent(place.thread(), key -> new TreeSet<>()).add(place.seq());
      }
    }
    Map<Place, SearchStatements.Row> rows =
        transactions.readOn(connection -> SearchStatements.rows(connection, seqs));
    return shown.stream().map(hit -> hit(hit, rows)).filter(Objects::nonNull).toList();
  }

  private static @Nullable Hit hit(Shown shown, Map<Place, SearchStatements.Row> rows) {
    Candidate candidate = shown.candidate;
    SearchStatements.Row own = rows.get(candidate.place());
    if (own == null) {
      return null; // deleted meanwhile
    }
    List<MessageRow> before = new ArrayList<>();
    List<MessageRow> after = new ArrayList<>();
    for (Place place : shown.places) {
      SearchStatements.Row row = rows.get(place);
      if (row != null && !place.equals(candidate.place())) {
        (place.seq() < candidate.place().seq() ? before : after).add(row.message());
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
