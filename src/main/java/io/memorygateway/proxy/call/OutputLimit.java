package io.memorygateway.proxy.call;

import static java.util.Objects.requireNonNullElse;

import com.google.common.primitives.Bytes;
import io.memorygateway.format.Format;
import io.memorygateway.format.call.CallMembers;
import io.memorygateway.format.call.ReasoningRemoval;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.ParseOptions;
import io.memorygateway.proxy.route.Endpoint;
import io.memorygateway.proxy.route.Route;
import io.memorygateway.proxy.route.Target;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The output limit of a call, by the members that its format has for it.
 *
 * @param given for each choice; -1 if none is
 * @param least that the call can be limited to
 * @param own the largest limit of the fallbacks themselves, apart from that of the call; -1 if none
 *     is
 */
record OutputLimit(List<String> members, long given, long least, long own) {
  /** As deep as what a fallback says. */
  private static final ParseOptions MEMBERS = ParseOptions.LENIENT.withLevels(3);

  static OutputLimit of(Format format, JsonValue call) {
    List<String> members = format.limitMembers();
    long given = -1;
    for (String member : members) {
      given = Math.max(given, CallMembers.number(call, member));
    }
    long thoughts = CallMembers.number(call.get("thinking"), "budget_tokens");
    // Those that fallbacks have of their own go up as they are.
    long own = ofFallbacks(call.get("fallbacks"));
    return new OutputLimit(
        members,
        // Translated, none at all is one.
        given < 0 ? given : Math.max(Math.max(1, given), own),
        Math.max(own, Math.max(format.leastLimit(), thoughts + 1)),
        own);
  }

  private static long ofFallbacks(@Nullable JsonValue list) {
    return CallMembers.items(list).stream()
        .mapToLong(each -> CallMembers.number(each, "max_tokens"))
        .max()
        .orElse(-1);
  }

  /** The limit as the translation for a target raises it that takes no such small one. */
  OutputLimit toward(Endpoint called, Route route) {
    long taken = route.formats(called).mapToLong(Format::leastLimit).max().orElse(least);
    return new OutputLimit(
        members, given < 0 ? given : Math.max(given, taken), Math.max(least, taken), own);
  }

  /**
   * The limit of a call that its caller has not limited.
   *
   * @param received as the caller sent it
   * @param sent the same as it goes up
   * @return -1 if the caller has limited it, or nobody has
   */
  static long made(Format format, byte[] received, byte[] sent) {
    return of(format, members(received)).given() < 0 ? of(format, members(sent)).given() : -1;
  }

  /** The call with no more than this, if its caller has not limited it. */
  static byte[] lowered(Format format, byte[] received, byte[] sent, long most, Target target) {
    return made(format, received, sent) > most
        ? of(format, members(sent)).set(sent, most, target)
        : sent;
  }

  private static JsonValue members(byte[] body) {
    return CallBudgets.read(body, MEMBERS);
  }

  byte[] set(byte[] body, long limit, Target target) {
    String named = null;
    JsonValue call = members(body);
    for (String member : members) {
      named = CallMembers.number(call, member) >= 0 ? member : named;
    }
    String usual = members.size() > 1 ? target.maxTokensMember() : members.get(0);
    byte[] rest = ReasoningRemoval.ofMembers(body, Set.copyOf(members));
    String member = "{\"%s\":%d,".formatted(requireNonNullElse(named, usual), limit);
    byte[] begin = member.getBytes(StandardCharsets.US_ASCII);
    int behind = Bytes.indexOf(rest, (byte) '{') + 1;
    return Bytes.concat(begin, Arrays.copyOfRange(rest, behind, rest.length));
  }
}
