package io.memorygateway.proxy.call;

import io.memorygateway.proxy.upstream.UpstreamAnswer;
import io.memorygateway.proxy.upstream.UpstreamCall;
import io.memorygateway.proxy.upstream.UpstreamFailure;
import io.memorygateway.secret.MaskedOutputStream;
import io.memorygateway.secret.SecretBytes;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.eclipse.jetty.io.EofException;

/**
 * Passes an answer of any type on, piece by piece, and reads only after it has written. An answer
 * that breaks off has the client's connection closed.
 */
record PassedAnswer(
    UpstreamAnswer answer,
    SecretBytes secret,
    UpstreamCall call,
    CallMeasurement measurement,
    HttpServletRequest client)
    implements StreamingOutput {
  private static final int BUFFER = 32 << 10;

  /** Closes the client's connection: an end in order would say that the answer is whole. */
  private EofException brokenOff() {
    ServletContextRequest.getServletContextRequest(client)
        .getConnectionMetaData()
        .getConnection()
        .getEndPoint()
        .close();
    return new EofException("an answer that is passed on broke off");
  }

  @Override
  public void write(OutputStream to) throws IOException {
    int status = 499;
    MaskedOutputStream out = new MaskedOutputStream(secret, to);
    try (InputStream in = answer.passed()) {
      to.flush();
      byte[] buffer = new byte[BUFFER];
      for (int count = read(in, buffer); count >= 0; count = read(in, buffer)) {
        out.write(buffer, 0, count);
        out.flush();
      }
      out.finish();
      measurement.answerRead();
      status = answer.status();
    } catch (UpstreamFailure failure) {
      status = AttemptFailure.of(failure, false).status();
      throw brokenOff();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      status = 503;
      throw brokenOff();
    } finally {
      answer.cancel();
      call.close();
      measurement.close(status);
    }
  }

  private static int read(InputStream in, byte[] to) throws UpstreamFailure, InterruptedException {
    try {
      return in.read(to);
    } catch (IOException e) {
      if (e.getCause() instanceof UpstreamFailure failure) {
        throw failure;
      }
      if (e.getCause() instanceof InterruptedException interruption) {
        throw interruption;
      }
      throw new UpstreamFailure(UpstreamFailure.Kind.BROKEN, e);
    }
  }
}
