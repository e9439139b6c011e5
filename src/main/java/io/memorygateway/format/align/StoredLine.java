package io.memorygateway.format.align;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The messages of a thread in the order in which they were stored, those that its conversation has
 * left among them, and where in it something is said.
 */
final class StoredLine {
  /** The most messages that are compared with one of the call. */
  static final int MAX_PLACES = 8;

  private final List<NormalForm> all;

  /** By message of all, its index among those that the conversation has; of one left, -1 - it. */
  private final int[] numbers;

  /** By message of all, the index of the next one with atoms. */
  private final int[] said;

  /** By the same, that of the next one of these that the conversation has. */
  private final int[] living;

  /** By what a message begins with, the first one that is not passed; and the next such one. */
  private final Map<String, Integer> places = new HashMap<>();

  private final int[] nextPlace;

  /** Places before this one are passed. */
  private int from;

  StoredLine(List<NormalForm> stored, List<Left> left) {
    this.all = Left.among(stored, left);
    this.numbers = new int[all.size()];
    this.said = new int[all.size()];
    this.living = new int[all.size()];
    this.nextPlace = new int[all.size()];
    int ofStored = 0;
    int ofLeft = 0;
    for (int at = 0; at < numbers.length; at++) {
      boolean isLeft = ofLeft < left.size() && left.get(ofLeft).behind() <= ofStored;
      numbers[at] = isLeft ? -1 - ofLeft++ : ofStored++;
    }
    int next = all.size();
    int nextLiving = all.size();
    for (int at = all.size() - 1; at >= 0; at--) {
      said[at] = next;
      living[at] = nextLiving;
      List<Atom> atoms = all.get(at).atoms();
      if (!atoms.isEmpty()) {
        Integer behind = places.put(key(atoms.get(0)), at);
        nextPlace[at] = behind == null ? all.size() : behind;
        next = at;
        nextLiving = isLeft(at) ? nextLiving : at;
      }
    }
  }

  private static String key(Atom atom) {
    return atom.ofCall().isEmpty() ? atom.exact() : atom.loose();
  }

  int size() {
    return all.size();
  }

  NormalForm get(int place) {
    return all.get(place);
  }

  /** A message's index among those that the conversation has; of one that was left, -1 - it. */
  int number(int place) {
    return numbers[place];
  }

  boolean isLeft(int place) {
    return numbers[place] < 0;
  }

  /** Number of the messages before a place that the conversation has. */
  int livingBefore(int place) {
    return (int) IntStream.range(0, place).filter(at -> !isLeft(at)).count();
  }

  /** The place of the next message that says something. */
  int next(int place) {
    return said[place];
  }

  /** The place of the next such message of the conversation. */
  int nextLiving(int place) {
    return living[place];
  }

  boolean isAnsweredBehind(int place) {
    return said[place] < all.size() && all.get(said[place]).ofModel();
  }

  /**
   * The first place that begins with an atom.
   *
   * @param from never less than before
   */
  int first(Atom atom, int from) {
    this.from = from;
    return first(atom);
  }

  private int first(Atom atom) {
    int place = places.getOrDefault(key(atom), all.size());
    while (place < from) {
      place = nextPlace[place];
    }
    places.put(key(atom), place);
    return place;
  }

  /** The next place that begins with the same. */
  int nextSame(int place) {
    return nextPlace[place];
  }

  /** Whether the conversation says the same as a place behind it, as far as that is looked for. */
  boolean isSaidAgain(int place) {
    int other = nextPlace[place];
    for (int tried = 0; other < all.size() && tried < MAX_PLACES; tried++) {
      if (!isLeft(other) && all.get(other).atoms().equals(all.get(place).atoms())) {
        return true;
      }
      other = nextPlace[other];
    }
    return false;
  }

  /** Whether something is said behind a place; of the next few that begin so, one is looked at. */
  boolean isSaidBehind(int place, Atom atom) {
    int found = first(atom);
    for (int tried = 0; found <= place && tried < MAX_PLACES; tried++) {
      found = nextPlace[found];
    }
    return found > place && found < all.size();
  }

  /**
   * The places of the messages that together say what is wanted, of which the first begins with it,
   * directly behind one another or with others between; empty if there are none.
   */
  List<Integer> run(int place, List<Atom> wanted) {
    List<Integer> run = new ArrayList<>();
    List<Atom> missing = wanted;
    int at = place;
    while (at < all.size()) {
      run.add(at);
      List<Atom> own = all.get(at).atoms();
      if (begins(own, missing)) {
        return run;
      }
      if (!begins(missing, own)) {
        return List.of();
      }
      missing = behind(missing, own);
      at = placeBehind(at, missing);
    }
    return List.of();
  }

  /** The next place that says all that is missing, else some of it. */
  private int placeBehind(int place, List<Atom> missing) {
    int found = first(missing.get(0));
    int some = all.size();
    for (int tried = 0; found < all.size() && tried < MAX_PLACES; tried++) {
      List<Atom> own = all.get(found).atoms();
      if (found > place && begins(own, missing)) {
        return found;
      }
      some = found > place && found < some && begins(missing, own) ? found : some;
      found = nextPlace[found];
    }
    return some;
  }

  /** What the messages of a run say behind what is wanted. */
  List<Atom> rest(List<Integer> run, List<Atom> wanted) {
    List<Atom> missing = wanted;
    for (int place : run.subList(0, run.size() - 1)) {
      missing = behind(missing, all.get(place).atoms());
    }
    return behind(all.get(run.get(run.size() - 1)).atoms(), missing);
  }

  static boolean begins(List<Atom> atoms, List<Atom> with) {
    return !with.isEmpty()
        && atoms.size() >= with.size()
        && IntStream.range(0, with.size()).allMatch(at -> atoms.get(at).isEchoOf(with.get(at)));
  }

  static boolean meet(List<Atom> some, List<Atom> others) {
    return begins(some, others) || begins(others, some);
  }

  private static List<Atom> behind(List<Atom> atoms, List<Atom> known) {
    return atoms.subList(known.size(), atoms.size());
  }
}
