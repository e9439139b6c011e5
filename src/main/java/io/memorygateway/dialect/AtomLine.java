package io.memorygateway.dialect;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The atoms of a list of messages, one after the other, as numbers that are quick to compare. */
final class AtomLine {
  private final List<Atom> atoms = new ArrayList<>();
  private final List<Integer> owners = new ArrayList<>();
  private final int[] exact;
  private final int[] loose;

  /**
   * @param items what the items say that references stand for
   * @param codes the number of each key, shared by the lines that are compared
   */
  AtomLine(List<NormalForm> messages, Map<String, List<Atom>> items, Map<String, Integer> codes) {
    for (int i = 0; i < messages.size(); i++) {
      NormalForm message = messages.get(i);
      List<Atom> said = message.atoms();
      if (message.reference()) {
        // An item that only the upstream has seen is an output of the model too.
        said = items.getOrDefault(message.itemId(), List.of(Atom.answer(message.itemId())));
      }
      for (Atom atom : said) {
        atoms.add(atom);
        owners.add(i);
      }
    }
    exact = new int[atoms.size()];
    loose = new int[atoms.size()];
    for (int i = 0; i < exact.length; i++) {
      Atom atom = atoms.get(i);
      exact[i] = code(codes, atom.exact());
      loose[i] = atom.loose().isEmpty() ? exact[i] : code(codes, atom.loose());
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
    return atoms.get(at).kind();
  }

  /** The index of the message that says it. */
  int message(int at) {
    return owners.get(at);
  }

  boolean ofModelFrom(int from) {
    return atoms.subList(from, atoms.size()).stream().allMatch(atom -> atom.kind().ofModel());
  }
}
