package io.memorygateway.format.align;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The calls of tools that a client echoes under their ids with other arguments, such as an empty
 * object in the place of what is no JSON: the thread's own, wherever the client has them.
 */
final class AlteredCalls {
  /** By their loose keys, as the results: to make ids of these would take longest. */
  private final Map<String, Optional<Atom>> calls = new HashMap<>();

  private final Map<String, String> results = new HashMap<>();

  private AlteredCalls(List<NormalForm> messages) {
    for (NormalForm message : messages) {
      for (Atom atom : message.atoms()) {
        if (atom.isCall() && !atom.isNameless()) {
          // Of several calls of one id it cannot be told which is meant.
          calls.merge(atom.loose(), Optional.of(atom), (one, other) -> Optional.empty());
        } else if (atom.kind() == Atom.Kind.RESULT) {
          results.put(atom.loose(), atom.exact());
        }
      }
    }
  }

  /**
   * The client's messages as they are compared, with the thread's calls in place of its own. Of an
   * id that the conversation has left, too, it cannot be told which is meant.
   */
  static List<NormalForm> asStored(
      List<NormalForm> incoming, List<NormalForm> stored, List<Left> left) {
    AlteredCalls client = new AlteredCalls(incoming);
    if (client.calls.isEmpty()) {
      return incoming;
    }
    AlteredCalls thread = new AlteredCalls(stored);
    AlteredCalls others = new AlteredCalls(left.stream().map(Left::form).toList());
    Map<Atom, Atom> altered = new HashMap<>();
    client.calls.forEach(
        (key, call) -> {
          Optional<Atom> known = thread.calls.getOrDefault(key, Optional.empty());
          boolean mayBeEcho =
              call.isPresent()
                  && known.isPresent()
                  && !call.equals(known)
                  && !call.get().id().isEmpty()
                  && !known.get().id().isEmpty()
                  && !others.calls.containsKey(key)
                  && call.get().mayBeOfToolOf(known.get());
          if (mayBeEcho) {
            String ofResult = Atom.result(call.get().id(), "").loose();
            String result = thread.results.get(ofResult);
            if (result == null || result.equals(client.results.get(ofResult))) {
              altered.put(call.get(), known.get());
            }
          }
        });
    return altered.isEmpty()
        ? incoming
        : incoming.stream().map(message -> message.with(altered)).toList();
  }
}
