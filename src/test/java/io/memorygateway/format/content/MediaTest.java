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
    assertThat(Media.ofUrl("data:;base64,AAAA")).isEqualTo(Media.ofData(null, "AAAA"));
  }

  @Test
  void aDataUrlIsReadHoweverItIsSpelt() {
    for (String url :
        new String[] {
          "data:image/png;charset=utf-8;base64,AAaa",
          "DATA:IMAGE/PNG;BASE64,AAaa",
          "data:image/png ;name=\"a;b.png\";Base64,AAaa"
        }) {
      assertThat(Media.ofUrl(url)).isEqualTo(Media.ofData("image/png", "AAaa"));
    }
  }

  @Test
  void anyOtherUrlStaysAUrl() {
    for (String url :
        new String[] {
          "https://example.com/a;base64,b", "data:text/plain,a", "data:text/plain,a;base64,b",
          "data:,base64", "data", "data:"
        }) {
      assertThat(Media.ofUrl(url)).isEqualTo(new Media(url, null, null, null, null));
    }
    assertThat(Media.ofUrl(null)).isEqualTo(new Media(null, null, null, null, null));
  }
}
