/** ONVIF ids were once kept as a camera or a file wrote them. Cameras are told apart by them as text. */

// As `endpointUuid` in packages/domain reads them.
const uuid = '(?i)(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])'

export const statements: readonly string[] = [
  // Two may have the same one written differently. It stays with the one that has it as it is written now, else with the
  // older; the other is known by its host and port from now on, like a camera that never told an id. What holds no UUID, a
  // serial number say, has no other form and is left.
  `with written as (
    select tenant_id, id, endpoint_uuid, lower(substring(endpoint_uuid from '${uuid}')) as canonical from device
  ), ranked as (
    select *, row_number() over (
      partition by tenant_id, canonical order by lower(endpoint_uuid) = canonical desc, id
    ) as place
    from written where canonical is not null
  )
  update device set endpoint_uuid = case when ranked.place = 1 then ranked.canonical end
  from ranked
  where device.tenant_id = ranked.tenant_id and device.id = ranked.id
    and device.endpoint_uuid is distinct from (case when ranked.place = 1 then ranked.canonical end)`,
]
