package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HomesTest {
  @Test
  void whatFailsForOneHomeIsThrownAfterTheOthersHadTheirTurn() {
    List<Integer> done = new ArrayList<>();
    assertThatThrownBy(
            () ->
                Homes.each(
                    List.of(1, 2, 3, 4),
                    home -> {
                      if (home % 2 == 1) {
                        throw new IllegalStateException("home " + home);
                      }
                      done.add(home);
                    }))
        .hasMessage("home 1")
        .satisfies(first -> assertThat(first.getSuppressed()).hasSize(1));
    assertThat(done).containsExactly(2, 4);
    Homes.each(List.of(5), done::add);
    assertThat(done).containsExactly(2, 4, 5);
  }
}
