package io.memorygateway.admin;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.google.common.net.InetAddresses;
import com.google.common.net.InternetDomainName;
import io.dropwizard.core.setup.AdminFactory;
import io.dropwizard.validation.ValidationMethod;
import jakarta.validation.constraints.NotNull;
import java.util.List;

/** {@code admin:} in config.yml: Dropwizard's own keys, the login and the allowed hosts. */
public final class AdminConfiguration extends AdminFactory {
  @NotNull private List<String> allowedHosts = List.of();
  @NotNull private AdminAuthConfiguration auth = AdminAuthConfiguration.defaults();

  /** Names that a request may have as its Host, besides the admin port's own addresses. */
  @JsonProperty
  public List<String> getAllowedHosts() {
    return allowedHosts;
  }

  @JsonProperty
  public void setAllowedHosts(List<String> allowedHosts) {
    this.allowedHosts = List.copyOf(allowedHosts);
  }

  @JsonProperty
  public AdminAuthConfiguration getAuth() {
    return auth;
  }

  @JsonProperty
  public void setAuth(AdminAuthConfiguration auth) {
    this.auth = auth;
  }

  @JsonIgnore
  @ValidationMethod(
      message =
          "admin.allowedHosts: an entry is not a host's name or address, without scheme and port")
  public boolean isEveryAllowedHostAHost() {
    return allowedHosts.stream()
        .allMatch(host -> InetAddresses.isInetAddress(host) || InternetDomainName.isValid(host));
  }
}
