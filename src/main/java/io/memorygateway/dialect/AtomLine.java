package io.memorygateway.dialect;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The atoms of a list of messages, one after the other, as numbers that are quick to compare. */
final class AtomLine {
  private final int[] exact;
  private final int[] loose;
  private final Atom.Kind[] kinds;
  private final int[] owners;

  /**
   * @param items what the items say that references stand for
   * @param codes the number of each key, shared by the lines that are compared
   */
  AtomLine(List<NormalForm> messages, Map<String, List<Atom>> items, Map<String, Integer> codes) {
    List<List<Atom>> said = new ArrayList<>(messages.size());
    int length = 0;
    for (NormalForm message : messages) {
      List<Atom> atoms = message.atoms();
      if (message.reference()) {
        // An item that only the upstream has seen is an output of the model too.
        atoms = items.getOrDefault(message.itemId(), List.of(Atom.answer(message.itemId())));
      }
      said.add(atoms);
      length += atoms.size();
    }
    exact = new int[length];
    loose = new int[length];
    kinds = new Atom.Kind[length];
    owners = new int[length];
    int at = 0;
    for (int owner = 0; owner < said.size(); owner++) {
      for (Atom atom : said.get(owner)) {
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

  /** Equal where the same is said. */
  int exact(int at) {
    return exact[at];
  }

  /** Equal where it may be the same, altered. */
  int loose(int at) {
    return loose[at];
  }

  Atom.Kind kind(int at) {
    return kinds[at];
  }

  /** The index of the message that says it. */
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

  /** The places of each code in a line, in order. */
  static final class Occurrences {
    private final int[] starts;
    private final int[] places;

    private Occurrences(int[] line, int codes) {
      starts = new int[codes + 1];
      for (int code : line) {
        starts[code + 1]++;
      }
      for (int code = 0; code < codes; code++) {
        starts[code + 1] += starts[code];
      }
      int[] next = Arrays.copyOf(starts, codes);
      places = new int[line.length];
      for (int at = 0; at < line.length; at++) {
        places[next[line[at]]++] = at;
      }
    }

    int count(int code) {
      return starts[code + 1] - starts[code];
    }

    /** The place of the occurrence with this number, from 0. */
    int place(int code, int number) {
      return places[starts[code] + number];
    }

    /** The last place of a code before another place; -1 if there is none. */
    int lastBefore(int code, int place) {
      int found = Arrays.binarySearch(places, starts[code], starts[code + 1], place);
      int before = (found < 0 ? -found - 1 : found) - 1;
      return before < starts[code] ? -1 : places[before];
    }
  }
}
