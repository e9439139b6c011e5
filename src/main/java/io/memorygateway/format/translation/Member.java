package io.memorygateway.format.translation;

import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a member of a format's requests: one row of {@code translation.md}.
 *
 * @param name in the format, such as {@code top_p}
 * @param shared the name by which formats share it; it is carried, as it is, to each format that
 *     has a member of this shared name. Null if there is none
 * @param otherwise what becomes of it towards a format that does not share it
 * @param silent values, as JSON without blanks, that say nothing: they are not named when they are
 *     left out, nor refused
 */
public record Member(
    String name, @Nullable String shared, Fate otherwise, Set<String> silent, String note) {

  public enum Fate {
    /** It is said in the words of the other format, as the note of its row says. */
    MAPPED,
    /** It is left out, and named in {@code X-Gateway-Dropped}. */
    NAMED,
    /** It says nothing to another format, and is left out without a word. */
    SILENT,
    /** The call is refused, for without it something else would be asked. */
    REFUSED
  }

  public static Member shared(String name, String... silent) {
    return new Member(name, name, Fate.NAMED, Set.of(silent), "");
  }

  public static Member mapped(String name, String note) {
    return new Member(name, null, Fate.MAPPED, Set.of(), note);
  }

  public static Member named(String name, String... silent) {
    return new Member(name, null, Fate.NAMED, Set.of(silent), "");
  }

  public static Member silent(String name, String note) {
    return new Member(name, null, Fate.SILENT, Set.of(), note);
  }

  public static Member refused(String name, String note, String... silent) {
    return new Member(name, null, Fate.REFUSED, Set.of(silent), note);
  }

  /**
   * Reads the members of a call that need no words of their own.
   *
   * @param root the body
   * @param members of its format; what none of them names is carried to formats that share its name
   * @return those that are carried, by their shared names
   * @throws MalformedBodyException if one is refused
   */
  public static Map<String, Request.Shared> read(
      JsonValue root, List<Member> members, Dropped dropped) throws MalformedBodyException {
    Map<String, Request.Shared> carried = new LinkedHashMap<>();
    for (JsonValue.Field field : root.fields()) {
      String name = field.name();
      Member member = named(name, members);
      if (field.value().isNull() || member.otherwise() == Fate.MAPPED) {
        continue;
      }
      boolean silent = !member.silent.isEmpty() && member.silent.contains(field.value().raw());
      if (member.shared() != null) {
        carried.put(member.shared(), new Request.Shared(name, field.value(), silent));
      } else if (!silent && member.otherwise() == Fate.NAMED) {
        dropped.add(name);
      } else if (!silent && member.otherwise() == Fate.REFUSED) {
        throw new MalformedBodyException(name + " cannot be asked of this model: " + member.note());
      }
    }
    return carried;
  }

  /** The member of this name; what is of no public format is shared by its name. */
  private static Member named(String name, List<Member> members) {
    for (Member member : members) {
      if (member.name().equals(name)) {
        return member;
      }
    }
    return shared(name);
  }

  /** Writes what is carried to a format, and names what it has no member for. */
  public static void write(
      Map<String, Request.Shared> carried, List<Member> members, JsonObject out, Dropped dropped) {
    carried.forEach(
        (shared, member) -> {
          for (Member own : members) {
            if (shared.equals(own.shared())) {
              out.raw(own.name(), member.value());
              return;
            }
          }
          if (!member.silent()) {
            dropped.add(member.name());
          }
        });
  }
}
