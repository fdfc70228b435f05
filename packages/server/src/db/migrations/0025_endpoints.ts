/** ONVIF ids were once kept as a camera or a file wrote them. Cameras are told apart by them as text. */

// As `endpointUuid` in packages/domain reads them, and with what says no more than that it is one.
const hex = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const uuid = `(?i)(?<![0-9a-f])${hex}(?![0-9a-f])`
const plain = `^(urn:)?(uuid:)?\\{?${hex}\\}?$`

export const statements: readonly string[] = [
  // Two may have the same one written differently. It stays with the one that has it as it is written now, else with the
  // older; the other is known by its host and port from now on, like a camera that never told an id. Channels of a recorder
  // may be told apart by what stands beside it, …/1 and …/2: those are left. What holds no UUID, a serial number say, has no
  // other form and is left too.
  `with written as (
    select tenant_id, id, endpoint_uuid, lower(substring(endpoint_uuid from '${uuid}')) as canonical,
      endpoint_uuid ~* '${plain}' as is_plain
    from device
  ), ranked as (
    select *, count(*) over (partition by tenant_id, canonical) as sharing, row_number() over (
      partition by tenant_id, canonical order by is_plain desc, lower(endpoint_uuid) = canonical desc, id
    ) as place
    from written where canonical is not null
  ), wanted as (
    select tenant_id, id, case when place = 1 then canonical end as endpoint_uuid
    from ranked where is_plain or sharing = 1
  )
  update device set endpoint_uuid = wanted.endpoint_uuid
  from wanted
  where device.tenant_id = wanted.tenant_id and device.id = wanted.id
    and device.endpoint_uuid is distinct from wanted.endpoint_uuid`,
]
