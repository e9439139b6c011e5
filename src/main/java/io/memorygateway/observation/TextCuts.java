package io.memorygateway.observation;

/** Where texts may be cut. */
final class TextCuts {
  private TextCuts() {}

  /** This place, or the one before it if it lies within a character. */
  static int before(String text, int at) {
    return at > 0 && at < text.length() && Character.isLowSurrogate(text.charAt(at)) ? at - 1 : at;
  }

  /**
   * The best place to cut a text in: behind an empty line, a line, a sentence, a word; else
   * anywhere. Not before the middle between the two bounds.
   *
   * @param from where the part begins
   * @param latest where it ends at the latest, within the text
   */
  static int best(String text, int from, int latest) {
    int earliest = from + (latest - from) / 2;
    // A search for what is not there must not go back to the beginning of a long text.
    String searched = text.substring(earliest, latest);
    for (String separator : new String[] {"\n\n", "\n", ". ", "。", " "}) {
      int at = searched.lastIndexOf(separator);
      if (at >= 0) {
        return earliest + at + separator.length();
      }
    }
    return before(text, latest);
  }
}
