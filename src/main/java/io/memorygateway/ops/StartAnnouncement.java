package io.memorygateway.ops;

import io.dropwizard.lifecycle.ServerLifecycleListener;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs in one line that the gateway is up, and where. */
public final class StartAnnouncement implements ServerLifecycleListener {
  private static final Logger LOGGER = LoggerFactory.getLogger(StartAnnouncement.class);

  @Override
  public void serverStarted(Server server) {
    String connectors =
        Arrays.stream(server.getConnectors())
            .map(ServerConnector.class::cast)
            .map(connector -> connector.getName() + " port " + connector.getLocalPort())
            .collect(Collectors.joining(", "));
    LOGGER.info("Memory Gateway is up: {}", connectors);
  }
}
