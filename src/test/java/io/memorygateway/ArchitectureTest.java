package io.memorygateway;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The picture of the house: every room and the neighbours that it may know. What is not listed is
 * forbidden, and so is a room that is not listed. The application alone knows all rooms.
 */
@AnalyzeClasses(
    packagesOf = MemoryGatewayApplication.class,
    importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
  private static final String ROOT = "io.memorygateway";
  private static final String APPLICATION = "application";

  /** From the leaves up. */
  private static final String HOUSE =
      """
      concurrent       ->
      json             ->
      sse              -> json
      language         ->
      dialect          -> json sse
      http             -> json concurrent
      database         -> json http
      audit            -> json database
      operator         -> audit database http
      auth             -> json http database audit operator
      admin            -> json http database audit operator auth
      ratelimit.window -> concurrent http database
      ratelimit        -> ratelimit.window auth http database
      observation.text -> json concurrent dialect
      observation      -> json concurrent language http database dialect observation.text
      memory           -> json concurrent http database auth dialect observation
      search           -> json concurrent language http database auth dialect memory
      memory.api       -> json http database auth dialect observation memory search
      turn             -> json sse concurrent http database auth dialect observation memory search
      usage            -> json concurrent http database operator
      proxy.circuit    ->
      proxy            -> proxy.circuit json sse concurrent http database operator auth dialect observation memory turn usage
      transfer         -> json database audit operator memory
      openapi          -> json http
      ops              -> json concurrent http database operator auth ratelimit memory usage
      access           -> json concurrent http ops
      """;

  @ArchTest static final ArchRule EVERY_ROOM_KNOWS_ITS_NEIGHBOURS_ONLY = house();

  private static ArchRule house() {
    Map<String, String[]> rooms = new LinkedHashMap<>();
    HOUSE
        .lines()
        .map(line -> line.split("->", -1))
        .forEach(
            sides ->
                rooms.put(
                    sides[0].strip(),
                    Arrays.stream(sides[1].split(" "))
                        .filter(neighbour -> !neighbour.isEmpty())
                        .toArray(String[]::new)));
    LayeredArchitecture house =
        layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .withOptionalLayers(true)
            .layer(APPLICATION)
            .definedBy(ROOT);
    for (String room : rooms.keySet()) {
      house = house.layer(room).definedBy(ROOT + "." + room);
    }
    for (Map.Entry<String, String[]> room : rooms.entrySet()) {
      house =
          room.getValue().length == 0
              ? house.whereLayer(room.getKey()).mayNotAccessAnyLayer()
              : house.whereLayer(room.getKey()).mayOnlyAccessLayers(room.getValue());
    }
    return house.ensureAllClassesAreContainedInArchitecture();
  }
}
