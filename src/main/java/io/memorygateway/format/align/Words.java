package io.memorygateway.format.align;

/**
 * A text without its white space, as numbers: those of several texts tell what they are together,
 * so that these can be compared with one text without holding any of them.
 *
 * @param hash a polynomial of the characters
 * @param shift what the hash of a text before this one is multiplied by
 * @param letters number of letters and digits, which marks of Markdown do not count to
 */
record Words(long hash, long shift, int letters) {
  static final Words NONE = new Words(0, 1, 0);

  private static final long BASE = 0x9E3779B97F4A7C15L;

  static Words of(String text) {
    long hash = 0;
    long shift = 1;
    int letters = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!Character.isWhitespace(c) && !Character.isSpaceChar(c)) {
        hash = hash * BASE + c;
        shift *= BASE;
        letters += Character.isLetterOrDigit(c) ? 1 : 0;
      }
    }
    return new Words(hash, shift, letters);
  }

  Words and(Words next) {
    return new Words(hash * next.shift + next.hash, shift * next.shift, letters + next.letters);
  }
}
