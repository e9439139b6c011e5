package io.memorygateway.database;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.google.common.collect.ImmutableList;
import io.dropwizard.db.DataSourceFactory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code database:} in config.yml: Dropwizard's own keys, and the homes of new projects. */
public final class DatabaseSettings extends DataSourceFactory {
  private ImmutableList<Home> homes = ImmutableList.of(Home.FIRST);

  /** Of which a new project gets the one with the fewest projects. */
  public List<Home> homes() {
    return homes;
  }

  @JsonProperty
  public List<Integer> getHomes() {
    return homes.stream().map(Home::number).toList();
  }

  @JsonProperty
  public void setHomes(@Nullable List<Integer> numbers) {
    if (numbers == null || numbers.isEmpty()) {
      throw new IllegalArgumentException("there has to be one, such as 0");
    }
    homes = numbers.stream().map(Home::new).distinct().collect(ImmutableList.toImmutableList());
  }
}
