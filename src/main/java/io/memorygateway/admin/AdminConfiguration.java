package io.memorygateway.admin;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.google.common.net.InetAddresses;
import com.google.common.net.InternetDomainName;
import io.dropwizard.core.setup.AdminFactory;
import io.dropwizard.validation.ValidationMethod;
import java.util.List;

/** {@code admin:} in config.yml: Dropwizard's own keys, the login and the allowed hosts. */
public final class AdminConfiguration extends AdminFactory {
  @JsonProperty
  @JsonSetter(nulls = Nulls.SKIP)
  private List<String> allowedHosts = List.of();

  @JsonProperty
  @JsonSetter(nulls = Nulls.FAIL)
  private AdminAuthConfiguration auth = AdminAuthConfiguration.defaults();

  /** Names that a request may have as its Host, besides the admin port's own addresses. */
  public List<String> getAllowedHosts() {
    return allowedHosts;
  }

  public AdminAuthConfiguration getAuth() {
    return auth;
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
