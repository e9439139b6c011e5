package io.memorygateway.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;

/** What the log says of a provider that gave no answer. */
class UpstreamFailureTest {
  @Test
  void aClosedConnectionIsToldWithoutTheStateOfTheClient() {
    UpstreamFailure failure =
        new UpstreamFailure(
            UpstreamFailure.Kind.UNREACHABLE,
            new EOFException("HttpConnectionOverHTTP@6a386c48::SocketChannelEndPoint@2aed8827"));
    assertThat(failure).hasMessage("the connection was closed");
  }

  @Test
  void otherCausesAreToldAsTheyAre() {
    UpstreamFailure failure =
        new UpstreamFailure(
            UpstreamFailure.Kind.UNREACHABLE, new ConnectException("Connection refused"));
    assertThat(failure).hasMessage("java.net.ConnectException: Connection refused");
  }
}
