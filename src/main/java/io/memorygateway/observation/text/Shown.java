package io.memorygateway.observation.text;

import io.memorygateway.format.content.Media;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * The images and PDF files that an observer's model is shown of a batch, in the order of its
 * passages, within bounds: the model's provider takes no more, and each costs as much as pages of
 * text. Those by URL are not shown: the provider would fetch whatever address a caller names.
 */
final class Shown {
  /** None, for a model that takes none. */
  static final Shown NOTHING = new Shown(List.of());

  private static final Set<String> TYPES =
      Set.of("image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf");

  private static final int MAX_COUNT = 8;

  /** Characters of base64, of all together. */
  private static final int MAX_CHARACTERS = 8_000_000;

  private final List<Passage> passages;
  private final IdentityHashMap<Passage, Integer> numbers = new IdentityHashMap<>();

  private Shown(List<Passage> passages) {
    this.passages = passages;
    passages.forEach(passage -> numbers.put(passage, numbers.size() + 1));
  }

  static Shown of(List<Passage> passages) {
    List<Passage> shown = new ArrayList<>();
    int left = MAX_CHARACTERS;
    for (Passage passage : passages) {
      Media media = passage.media();
      if (media == null || shown.size() == MAX_COUNT) {
        continue;
      }
      String data = media.data();
      if (data != null
          && media.type() != null
          && TYPES.contains(media.type())
          && data.length() <= left) {
        shown.add(passage);
        left -= data.length();
      }
    }
    return new Shown(shown);
  }

  boolean isEmpty() {
    return passages.isEmpty();
  }

  /** The number of a passage among those that are shown, from 1 on; 0 if it is not shown. */
  int number(Passage passage) {
    return numbers.getOrDefault(passage, 0);
  }

  List<Media> media() {
    return passages.stream().map(Passage::media).toList();
  }
}
