package io.memorygateway.format.content;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Where the bytes of a medium are. */
class MediaTest {
  @Test
  void aDataUrlInBase64IsItsTypeAndItsData() {
    assertThat(Media.ofUrl("data:image/png;base64,AAAA"))
        .isEqualTo(Media.ofData("image/png", "AAAA"));
    assertThat(Media.ofUrl("data:text/plain;charset=utf-8;base64,QQ=="))
        .isEqualTo(Media.ofData("text/plain;charset=utf-8", "QQ=="));
  }

  @Test
  void anyOtherUrlStaysAUrl() {
    for (String url :
        new String[] {
          "https://example.com/a;base64,b", "data:text/plain,a", "data:text/plain,a;base64,b"
        }) {
      assertThat(Media.ofUrl(url)).isEqualTo(new Media(url, null, null, null, null));
    }
    assertThat(Media.ofUrl(null)).isEqualTo(new Media(null, null, null, null, null));
  }
}
