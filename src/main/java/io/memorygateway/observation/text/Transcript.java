package io.memorygateway.observation.text;

import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Text that a model is given to observe, in frames that carry a random mark which occurs in none of
 * the texts, so that no text can end its frame or begin another.
 *
 * @param mark to be named in the system prompt
 * @param text the frames
 */
record Transcript(String mark, String text) {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("EEE uuuu-MM-dd HH:mm", Locale.ENGLISH).withZone(ZoneOffset.UTC);

  /**
   * A transcript of messages to be observed.
   *
   * @param before what was said just before them
   * @param notes the end of the observations so far; may be empty
   * @param shown the images and files that go with it, whose frames have their numbers
   */
  static Transcript ofMessages(
      List<Passage> before,
      List<Passage> passages,
      String notes,
      Shown shown,
      RandomGenerator random) {
    StringBuilder all = new StringBuilder(notes);
    Stream.concat(before.stream(), passages.stream())
        .forEach(passage -> all.append(passage.tool()).append('\n').append(passage.text()));
    String mark = mark(all.toString(), random);
    StringBuilder out = new StringBuilder();
    if (!notes.isBlank()) {
      frame(out, "notes-" + mark, "", notes);
    }
    for (Passage passage : before) {
      // Quoted, so that it is not taken for something new.
      String quoted = "> " + passage.text().stripTrailing().replace("\n", "\n> ");
      frame(out, "before-" + mark, attributes(passage), quoted);
    }
    for (Passage passage : passages) {
      int number = shown.number(passage);
      String attributes = attributes(passage) + (number == 0 ? "" : " shown=\"" + number + "\"");
      frame(out, "message-" + mark, attributes, passage.text());
    }
    return new Transcript(mark, out.toString());
  }

  private static String attributes(Passage passage) {
    String kind =
        passage.kind() == Passage.Kind.TEXT ? "" : " kind=\"" + passage.kind().label() + "\"";
    String tool = passage.tool().isEmpty() ? "" : " tool=\"" + name(passage.tool()) + "\"";
    return " role=\"%s\" time=\"%s\"%s%s"
        .formatted(name(passage.role()), TIME.format(passage.time()), kind, tool);
  }

  static Transcript ofLog(String log, RandomGenerator random) {
    String mark = mark(log, random);
    StringBuilder out = new StringBuilder();
    frame(out, "notes-" + mark, "", log);
    return new Transcript(mark, out.toString());
  }

  private static void frame(StringBuilder out, String tag, String attributes, String text) {
    out.append('<').append(tag).append(attributes).append(">\n").append(text);
    if (!text.endsWith("\n")) {
      out.append('\n');
    }
    out.append("</").append(tag).append(">\n");
  }

  private static String mark(String text, RandomGenerator random) {
    while (true) {
      String mark = "%016x".formatted(random.nextLong());
      if (!text.contains(mark)) {
        return mark;
      }
    }
  }

  /** The name without characters that could end its attribute. */
  private static String name(String text) {
    StringBuilder name = new StringBuilder();
    text.codePoints()
        .limit(100)
        .map(c -> Words.isLetter(c) || "_.:/@-".indexOf(c) >= 0 ? c : '_')
        .forEach(name::appendCodePoint);
    return name.toString();
  }
}
