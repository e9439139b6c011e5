package io.memorygateway.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLHandshakeException;
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

  @Test
  void callersAreToldTheKindOfTheCauseAndNeverItsText() {
    String words = "sk-secret of upstream";
    assertThat(fault(new ConnectException(words))).isEqualTo("the connection was refused");
    assertThat(fault(new SocketException(words))).isEqualTo("the connection was reset or closed");
    assertThat(fault(new EOFException(words))).isEqualTo("the connection was reset or closed");
    assertThat(fault(new SSLHandshakeException(words))).isEqualTo("TLS failed");
    assertThat(fault(new UnknownHostException(words))).isEqualTo("its name was not found");
    assertThat(fault(new UnresolvedAddressException())).isEqualTo("its name was not found");
    assertThat(fault(new SocketTimeoutException(words))).isEqualTo("no connection was made");
    assertThat(fault(new TimeoutException(words))).isEqualTo("nothing was received");
    assertThat(fault(new ClosedChannelException())).isEqualTo("the connection was reset or closed");
    assertThat(fault(new IllegalStateException(words))).isEqualTo("its answer was not usable");
    assertThat(fault(new IOException(words, new ConnectException(words))))
        .isEqualTo("the connection was refused");
  }

  private static String fault(Throwable cause) {
    return new UpstreamFailure(UpstreamFailure.Kind.UNREACHABLE, cause).fault();
  }
}
