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
  private final Map<String, Optional<Atom>> calls = new HashMap<>();
  private final Map<String, String> results = new HashMap<>();

  private AlteredCalls(List<NormalForm> messages) {
    for (NormalForm message : messages) {
      for (Atom atom : message.atoms()) {
        if (atom.isCall() && !atom.id().isEmpty()) {
          // Of several calls of one id it cannot be told which is meant.
          calls.merge(atom.id(), Optional.of(atom), (one, other) -> Optional.empty());
        } else if (atom.kind() == Atom.Kind.RESULT) {
          results.put(atom.pairId(), atom.exact());
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
        (id, call) -> {
          Optional<Atom> known = thread.calls.getOrDefault(id, Optional.empty());
          String result = thread.results.get(id);
          boolean isEcho =
              call.isPresent()
                  && known.isPresent()
                  && !others.calls.containsKey(id)
                  && !call.equals(known)
                  && call.get().mayBeOfToolOf(known.get())
                  && (result == null || result.equals(client.results.get(id)));
          if (isEcho) {
            altered.put(call.orElseThrow(), known.orElseThrow());
          }
        });
    return altered.isEmpty()
        ? incoming
        : incoming.stream().map(message -> message.with(altered)).toList();
  }
}
