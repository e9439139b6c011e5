{{- define "memory-gateway.name" -}}
{{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* Short enough for the version behind it, and a name that a service may have: of small letters, digits and dashes, first a letter. */}}
{{- define "memory-gateway.fullname" -}}
{{- $name := printf "%s-%s" .Release.Name (include "memory-gateway.name" .) -}}
{{- if .Values.fullnameOverride -}}
{{- $name = .Values.fullnameOverride -}}
{{- else if contains (include "memory-gateway.name" .) .Release.Name -}}
{{- $name = .Release.Name -}}
{{- end -}}
{{ regexReplaceAll "[^a-z0-9]" (regexReplaceAll "^([0-9])" $name "n${1}" | lower) "-" | trunc 40 | trimAll "-" }}
{{- end }}

{{- define "memory-gateway.selectorLabels" -}}
app.kubernetes.io/name: {{ include "memory-gateway.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "memory-gateway.labels" -}}
{{ include "memory-gateway.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "memory-gateway.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end }}

{{- define "memory-gateway.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{ default (include "memory-gateway.fullname" .) .Values.serviceAccount.name }}
{{- else -}}
{{ default "default" .Values.serviceAccount.name }}
{{- end -}}
{{- end }}

{{- define "memory-gateway.imagePullSecrets" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Of (dict "database" .Values.database "secret" NAME) */}}
{{- define "memory-gateway.databaseEnv" -}}
- name: DATABASE_URL
  valueFrom: {secretKeyRef: {name: {{ .secret | quote }}, key: {{ .database.urlKey | quote }}}}
- name: DATABASE_USER
  valueFrom: {secretKeyRef: {name: {{ .secret | quote }}, key: {{ .database.userKey | quote }}}}
- name: DATABASE_PASSWORD
  valueFrom: {secretKeyRef: {name: {{ .secret | quote }}, key: {{ .database.passwordKey | quote }}}}
{{- end }}

{{/* What the secrets of the nodes hold; nothing where no cluster can be asked. */}}
{{- define "memory-gateway.secrets" -}}
{{- range $name := compact (list .Values.database.existingSecret .Values.providers.existingSecret) -}}
{{ (lookup "v1" "Secret" $.Release.Namespace $name).data | toYaml }}
{{- end -}}
{{- end }}

{{- define "memory-gateway.volumes" -}}
- name: tmp
  emptyDir: {}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- if .Values.config }}
- name: config
  configMap: {name: {{ .configMap }}}
{{- end }}
{{- end }}

{{- define "memory-gateway.volumeMounts" -}}
- name: tmp
  mountPath: /tmp
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- if .Values.config }}
- name: config
  mountPath: /etc/memory-gateway
  readOnly: true
{{- end }}
{{- end }}
