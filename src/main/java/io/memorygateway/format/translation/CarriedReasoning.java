package io.memorygateway.format.translation;

import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sealed reasoning of a thread in the form of the format that is called now, whatever was called
 * when the model reasoned: so it comes back to its maker on every way (contract §14).
 *
 * @param called the format that is called
 * @param form a seal as a part of it
 */
public record CarriedReasoning(Shape called, UpstreamModel model, Function<Seal, Part> form) {

  /**
   * The messages with the reasoning of stored ones of other formats as parts of the called one.
   * What has nothing but reasoning is put before the message that it led to.
   */
  public List<Utterance> in(List<Utterance> messages) {
    List<Utterance> carried = new ArrayList<>(messages.size());
    List<Part> before = new ArrayList<>();
    for (Utterance message : SignedCalls.lateFirst(messages)) {
      boolean ofModel = message.ofModel() && message.verbatim() == null;
      List<Part> parts = new ArrayList<>(before);
      if (ofModel) {
        parts.addAll(ofChat(message.content()));
      }
      for (Part part : message.parts()) {
        boolean foreign = ofModel && part instanceof Part.Reasoning && part.shape() != called;
        parts.addAll(foreign ? forms((Part.Reasoning) part) : List.of(part));
      }
      boolean changed = ofModel && !parts.equals(message.parts());
      before.clear();
      if (changed && parts.stream().allMatch(part -> part instanceof Part.Reasoning)) {
        before.addAll(parts);
      } else {
        carried.add(changed ? message.withParts(parts) : message);
      }
    }
    return SignedCalls.in(carried);
  }

  /** The reasoning of a message of Chat, which is no part of its content. */
  private List<Part> ofChat(@Nullable JsonValue message) {
    if (called.reasonsBesideContent() || message == null || !message.isObject()) {
      return List.of();
    }
    String members =
        message.rawMembers(
            name -> Part.Reasoning.OF_CHAT.contains(name) && !JsonValue.isEmpty(message.get(name)));
    return members.isEmpty()
        ? List.of()
        : forms(Part.Reasoning.ofChat(JsonValue.of("{" + members + "}"))).stream()
            .filter(part -> part.shape() == called)
            .toList();
  }

  /** Reasoning in the called form; what has no seal, so that nobody knows its maker, stays. */
  private List<Part> forms(Part.Reasoning reasoning) {
    List<Seal> seals = Seal.allIn(reasoning);
    return seals.isEmpty() ? List.of(reasoning) : seals.stream().map(this::form).toList();
  }

  private Part form(Seal seal) {
    boolean own = !model.translated() && seal.format() == called;
    return own && seal.maker().equals(model.maker()) ? seal.part() : form.apply(seal);
  }
}
