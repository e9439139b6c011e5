package io.memorygateway.format.align;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;

/** The atoms of a list of messages as numbers that are quick to compare. */
final class AtomSequence {
  /** The number of all keys of a thread that the call does not have. */
  private static final int UNKNOWN = -1;

  private final int[] exact;
  private final int[] loose;
  private final Atom[] atoms;
  private final int[] owners;

  private AtomSequence(
      List<NormalForm> messages, Map<String, List<Atom>> items, ToIntFunction<String> codes) {
    List<List<Atom>> atomsByMessage = new ArrayList<>(messages.size());
    int length = 0;
    for (NormalForm message : messages) {
      List<Atom> own = message.atoms();
      if (message.reference()) {
        // An item that only the upstream has is an output of the model too.
        own = items.getOrDefault(message.itemId(), List.of(Atom.answer(message.itemId())));
      }
      atomsByMessage.add(own);
      length += own.size();
    }
    exact = new int[length];
    loose = new int[length];
    atoms = new Atom[length];
    owners = new int[length];
    int at = 0;
    for (int owner = 0; owner < atomsByMessage.size(); owner++) {
      for (Atom atom : atomsByMessage.get(owner)) {
        exact[at] = codes.applyAsInt(atom.exact());
        loose[at] = atom.loose().isEmpty() ? exact[at] : codes.applyAsInt(atom.loose());
        atoms[at] = atom;
        owners[at++] = owner;
      }
    }
  }

  /**
   * The line of a call.
   *
   * @param items atoms of the items that references stand for, by item id
   * @param codes empty; takes the number of each key
   */
  static AtomSequence ofCall(
      List<NormalForm> messages, Map<String, List<Atom>> items, Map<String, Integer> codes) {
    return new AtomSequence(
        messages, items, key -> codes.computeIfAbsent(key, absent -> codes.size()));
  }

  /**
   * The line of a thread, to be compared with a call.
   *
   * @param codes the number of each key of the call
   */
  static AtomSequence ofThread(List<NormalForm> messages, Map<String, Integer> codes) {
    return new AtomSequence(messages, Map.of(), key -> codes.getOrDefault(key, UNKNOWN));
  }

  int length() {
    return exact.length;
  }

  /** Number of the exact key: equal for the same content. */
  int exact(int at) {
    return exact[at];
  }

  /** Number of the loose key: equal for content that may be the same, altered. */
  int loose(int at) {
    return loose[at];
  }

  Atom.Kind kind(int at) {
    return atoms[at].kind();
  }

  Atom atom(int at) {
    return atoms[at];
  }

  int message(int at) {
    return owners[at];
  }

  /**
   * Length of the longest prefix of the line that is a suffix of another up to an index (Knuth,
   * Morris and Pratt).
   */
  int overlap(AtomSequence other, int end) {
    int[] border = new int[length()];
    for (int i = 1, known = 0; i < border.length; i++) {
      known = extended(border, known, exact(i));
      border[i] = known;
    }
    int overlap = 0;
    for (int i = 0; i < end; i++) {
      overlap = overlap == border.length && overlap > 0 ? border[overlap - 1] : overlap;
      overlap = extended(border, overlap, other.exact(i));
    }
    return overlap;
  }

  /** One step of the search: length of the line's prefix that ends at the next atom. */
  private int extended(int[] border, int known, int code) {
    int matched = known;
    while (matched > 0 && exact(matched) != code) {
      matched = border[matched - 1];
    }
    return matched < length() && exact(matched) == code ? matched + 1 : matched;
  }

  /** Whether there is an atom before an index that callers know from the thread only. */
  boolean hasWitness(int to) {
    for (int at = 0; at < to; at++) {
      if (kind(at) != Atom.Kind.USER) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether nothing is behind an index but the user's words and, if they may, results of calls
   * before it that have none.
   */
  boolean isNewFrom(int from, boolean mayAnswer) {
    Map<String, Integer> open = new HashMap<>();
    for (int at = 0; at < from && mayAnswer; at++) {
      if (kind(at) == Atom.Kind.CALL) {
        open.merge(atoms[at].pair(), 1, Integer::sum);
      } else if (kind(at) == Atom.Kind.RESULT) {
        open.computeIfPresent(atoms[at].pair(), (pair, number) -> number - 1);
      }
    }
    for (int at = from; at < atoms.length; at++) {
      boolean answers =
          kind(at) == Atom.Kind.RESULT
              && !atoms[at].pair().isEmpty()
              && open.merge(atoms[at].pair(), -1, Integer::sum) >= 0;
      if (kind(at) != Atom.Kind.USER && !answers) {
        return false;
      }
    }
    return true;
  }

  boolean ofModelFrom(int from) {
    for (int at = from; at < exact.length; at++) {
      if (!kind(at).ofModel()) {
        return false;
      }
    }
    return true;
  }

  /** Whether there is something of the model behind an index. */
  boolean hasModelFrom(int from) {
    int at = from;
    while (at < exact.length && !kind(at).ofModel()) {
      at++;
    }
    return at < exact.length;
  }

  /** The index behind the last atom that is not the model's. */
  int asked() {
    int end = atoms.length;
    while (end > 0 && kind(end - 1).ofModel()) {
      end--;
    }
    return end;
  }

  /** Whether an answer without words begins with a call of the caller's tools at an index. */
  boolean callsAt(int at) {
    return at > 0 && at < atoms.length && atoms[at].isCall() && !kind(at - 1).ofModel();
  }

  /**
   * Whether all behind an index is the model's, and among it are calls: of another client's answer
   * there both ids and arguments are altered, or it is another one.
   */
  boolean endsWithCalls(int from) {
    return ofModelFrom(from) && hasCallFrom(from);
  }

  /** Whether there is a call of the caller's tools behind an index. */
  boolean hasCallFrom(int from) {
    return Arrays.stream(atoms, from, atoms.length).anyMatch(Atom::isCall);
  }

  /** Whether there are an answer's words behind an index, then the user's, and nothing of tools. */
  boolean hasWordsFrom(int from) {
    return from < atoms.length
        && kind(from) == Atom.Kind.ANSWER
        && kind(atoms.length - 1) == Atom.Kind.USER
        && Arrays.stream(atoms, from, atoms.length).noneMatch(Atom::isOfTool);
  }

  /**
   * The next index behind calls and results; where one is the result of a call before the user's
   * last words, another turn went on there, and it is that behind this turn.
   */
  int behindTools(int from) {
    int question = from;
    while (question > 0 && kind(question - 1) != Atom.Kind.USER) {
      question--;
    }
    Set<String> calls = new HashSet<>();
    boolean isOther = false;
    int next = question;
    while (next < atoms.length
        && (next < from || atoms[next].isOfTool() || (isOther && kind(next).ofModel()))) {
      if (kind(next) == Atom.Kind.CALL) {
        calls.add(atoms[next].pair());
      } else if (next >= from && kind(next) == Atom.Kind.RESULT) {
        isOther |= !calls.contains(atoms[next].pair());
      }
      next++;
    }
    return next;
  }

  /** Whether an index is in the middle of a message. */
  boolean isWithin(int at) {
    return at > 0 && at < owners.length && owners[at - 1] == owners[at];
  }

  /** The next index behind results. */
  int behindResults(int from) {
    int next = from;
    while (next < atoms.length && kind(next) == Atom.Kind.RESULT) {
      next++;
    }
    return next;
  }

  /** The index of the first atom of the message that an atom belongs to. */
  int firstOf(int at) {
    int first = at;
    while (first > 0 && owners[first - 1] == owners[at]) {
      first--;
    }
    return first;
  }

  /** Number of the atoms of the messages before one. */
  int before(int message) {
    int first = Arrays.binarySearch(owners, message);
    return first < 0 ? -first - 1 : firstOf(first);
  }

  /** The indexes at which each code occurs. */
  Occurrences occurrences(int codes) {
    return new Occurrences(exact, codes);
  }

  /** The indexes of each code in a line, ascending. */
  static final class Occurrences {
    private final int[] starts;
    private final int[] positions;

    private Occurrences(int[] line, int codes) {
      starts = new int[codes + 1];
      int known = 0;
      for (int code : line) {
        if (code != UNKNOWN) {
          starts[code + 1]++;
          known++;
        }
      }
      for (int code = 0; code < codes; code++) {
        starts[code + 1] += starts[code];
      }
      int[] next = Arrays.copyOf(starts, codes);
      positions = new int[known];
      for (int at = 0; at < line.length; at++) {
        if (line[at] != UNKNOWN) {
          positions[next[line[at]]++] = at;
        }
      }
    }

    int count(int code) {
      return starts[code + 1] - starts[code];
    }

    /** The index of a code's occurrence with this number, from 0. */
    int position(int code, int number) {
      return positions[starts[code] + number];
    }

    /** The last index of a code before another index; -1 if there is none. */
    int lastBefore(int code, int position) {
      int found = Arrays.binarySearch(positions, starts[code], starts[code + 1], position);
      int before = (found < 0 ? -found - 1 : found) - 1;
      return before < starts[code] ? -1 : positions[before];
    }
  }
}
