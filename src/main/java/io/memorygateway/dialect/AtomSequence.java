package io.memorygateway.dialect;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The atoms of a list of messages as numbers that are quick to compare. */
final class AtomSequence {
  private final int[] exact;
  private final int[] loose;
  private final Atom.Kind[] kinds;
  private final int[] owners;

  /**
   * The line of some messages.
   *
   * @param items atoms of the items that references stand for, by item id
   * @param codes the number of each key, shared by the lines that are compared
   */
  AtomSequence(
      List<NormalForm> messages, Map<String, List<Atom>> items, Map<String, Integer> codes) {
    List<List<Atom>> atomsByMessage = new ArrayList<>(messages.size());
    int length = 0;
    for (NormalForm message : messages) {
      List<Atom> atoms = message.atoms();
      if (message.reference()) {
        // An item that only the upstream has is an output of the model too.
        atoms = items.getOrDefault(message.itemId(), List.of(Atom.answer(message.itemId())));
      }
      atomsByMessage.add(atoms);
      length += atoms.size();
    }
    exact = new int[length];
    loose = new int[length];
    kinds = new Atom.Kind[length];
    owners = new int[length];
    int at = 0;
    for (int owner = 0; owner < atomsByMessage.size(); owner++) {
      for (Atom atom : atomsByMessage.get(owner)) {
        exact[at] = code(codes, atom.exact());
        loose[at] = atom.loose().isEmpty() ? exact[at] : code(codes, atom.loose());
        kinds[at] = atom.kind();
        owners[at++] = owner;
      }
    }
  }

  private static int code(Map<String, Integer> codes, String key) {
    Integer code = codes.putIfAbsent(key, codes.size());
    return code == null ? codes.size() - 1 : code;
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
    return kinds[at];
  }

  /** The index of the message that an atom belongs to. */
  int message(int at) {
    return owners[at];
  }

  boolean ofModelFrom(int from) {
    for (int at = from; at < exact.length; at++) {
      if (!kind(at).ofModel()) {
        return false;
      }
    }
    return true;
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
      for (int code : line) {
        starts[code + 1]++;
      }
      for (int code = 0; code < codes; code++) {
        starts[code + 1] += starts[code];
      }
      int[] next = Arrays.copyOf(starts, codes);
      positions = new int[line.length];
      for (int at = 0; at < line.length; at++) {
        positions[next[line[at]]++] = at;
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
