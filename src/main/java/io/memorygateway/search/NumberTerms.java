package io.memorygateway.search;

import java.util.ArrayList;
import java.util.List;

/**
 * Gives numbers one form however they are written: {@code 1.250,50}, {@code 1 250.5} and {@code
 * 1250,5}; and telephone numbers with and without the code of their country. Not safe for use by
 * several threads at once.
 */
final class NumberTerms {
  private static final int MIN_TELEPHONE = 7;
  private static final int MAX_DIGITS = 17;

  /** Digits at the end of a telephone number that no code of a country or region is part of. */
  private static final int LOCAL_DIGITS = 8;

  private final StringBuilder joined = new StringBuilder();
  private int groups;
  private boolean thousands;
  private int end = -1;

  /**
   * Takes the next word of a text.
   *
   * @return other forms of this number, and of numbers that ended before
   */
  List<String> next(String text, String word, int start, int newEnd) {
    boolean digits = word.chars().allMatch(c -> c >= '0' && c <= '9');
    List<String> forms = new ArrayList<>();
    if (!digits && isDecimal(word) && continues(text, start) && thousands) {
      forms.add(form(joined + word));
    }
    if (!digits || !continues(text, start) || joined.length() + word.length() > MAX_DIGITS) {
      forms.addAll(end());
    }
    if (digits) {
      if (word.length() == 2 && word.charAt(0) == '0' && text.startsWith(":", newEnd)) {
        forms.add(word.substring(1)); // the hour of 07:05, and not a part of 2026-07-05
      }
      thousands = groups == 0 ? word.length() <= 3 : thousands && word.length() == 3;
      joined.append(word, 0, Math.min(word.length(), MAX_DIGITS));
      groups++;
      end = newEnd;
    } else if (Character.isDigit(word.charAt(0))) {
      String form = form(word);
      if (!form.equals(word)) {
        forms.add(form);
      } else {
        addDotted(word, forms);
        addLettered(word, forms);
      }
    }
    return forms;
  }

  /** Of a version what it begins with, as in {@code 3.11.2}; of a telephone number all digits. */
  private static void addDotted(String word, List<String> forms) {
    int second = word.indexOf('.', word.indexOf('.') + 1);
    if (second < 0 || word.chars().anyMatch(c -> c != '.' && (c < '0' || c > '9'))) {
      return;
    }
    forms.add(word.substring(0, second));
    String digits = word.replace(".", "");
    if (digits.length() > LOCAL_DIGITS && digits.length() <= MAX_DIGITS) {
      forms.add(digits);
      forms.add(digits.substring(digits.length() - LOCAL_DIGITS));
    }
  }

  /** Whether a word may be the last group of a number whose thousands have blanks between. */
  private static boolean isDecimal(String word) {
    return word.length() > 4
        && (word.charAt(3) == ',' || word.charAt(3) == '.')
        && word.chars().noneMatch(Character::isLetter);
  }

  /** The thousands of {@code 85k}, the hour and the minutes of {@code 14h30}. */
  private static void addLettered(String word, List<String> forms) {
    int letter = 1;
    while (letter < word.length() && Character.isDigit(word.charAt(letter))) {
      letter++;
    }
    String rest = word.substring(letter);
    if (rest.equals("k")) {
      forms.add(word.substring(0, letter) + "000");
    } else if (rest.length() == 3
        && rest.charAt(0) == 'h'
        && rest.chars().skip(1).allMatch(Character::isDigit)) {
      forms.add(word.substring(0, letter));
      forms.add(rest.substring(1));
    }
  }

  private boolean continues(String text, int start) {
    if (end < 0 || start - end < 1 || start - end > 2) {
      return false;
    }
    for (int i = end; i < start; i++) {
      char c = text.charAt(i);
      boolean space = c == ' ' || c == '\u00a0' || c == '\u202f' || c == '\u2009';
      thousands &= space && start - end == 1;
      if (!space && c != '-' && c != '/' && c != '(' && c != ')') {
        return false;
      }
    }
    return true;
  }

  /** Other forms of the number that the text ends with. */
  List<String> end() {
    List<String> forms = new ArrayList<>();
    int length = joined.length();
    if (groups > 1 && (thousands || length >= MIN_TELEPHONE)) {
      forms.add(joined.toString());
    }
    if (length > LOCAL_DIGITS) {
      forms.add(joined.substring(length - LOCAL_DIGITS));
    }
    joined.setLength(0);
    groups = 0;
    end = -1;
    return forms;
  }

  /** A number without separators of thousands, with a point before its decimals. */
  private static String form(String word) {
    int decimals = Math.max(word.lastIndexOf('.'), word.lastIndexOf(','));
    boolean both = word.indexOf('.') >= 0 && word.indexOf(',') >= 0;
    boolean once = decimals == word.indexOf('.') || decimals == word.indexOf(',');
    if (word.chars().anyMatch(c -> (c < '0' || c > '9') && c != '.' && c != ',' && c != '\'')) {
      return word;
    }
    String whole = word.replace("'", "");
    if (decimals < 0) {
      return whole;
    }
    boolean isFraction = once && (both || word.length() - decimals - 1 != 3);
    if (!isFraction) {
      return isGrouped(word) ? word.replace(".", "").replace(",", "").replace("'", "") : word;
    }
    String fraction = word.substring(decimals + 1);
    while (fraction.endsWith("0")) {
      fraction = fraction.substring(0, fraction.length() - 1);
    }
    String before = word.substring(0, decimals).replace(".", "").replace(",", "").replace("'", "");
    return fraction.isEmpty() ? before : before + "." + fraction;
  }

  /** Whether all groups but the first have three digits: a version has others. */
  private static boolean isGrouped(String word) {
    int digits = 0;
    for (int i = word.length() - 1; i >= 0; i--) {
      if (!Character.isDigit(word.charAt(i))) {
        if (digits != 3) {
          return false;
        }
        digits = 0;
      } else {
        digits++;
      }
    }
    return true;
  }
}
