package io.memorygateway.format.align;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What is compared of a long message: as much as a short one holds. */
class AtomTest {
  @Test
  void aKeyOfUpTo128CharactersIsKeptAndALongerOneShortened() {
    String fits = "a".repeat(128);
    Atom atom = new Atom(Atom.Kind.USER, fits, fits + "a");
    assertThat(atom.exact()).isEqualTo(fits);
    assertThat(atom.loose()).hasSizeLessThan(128).startsWith("#");
  }

  @Test
  void longKeysThatDifferAtTheirEndStayDifferent() {
    String start = "a".repeat(500);
    Atom one = new Atom(Atom.Kind.USER, start + "b", start);
    Atom other = new Atom(Atom.Kind.USER, start + "c", start);
    assertThat(one.exact()).isNotEqualTo(other.exact());
    assertThat(one.loose()).isEqualTo(other.loose());
  }
}
