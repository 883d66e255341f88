/// Private keys that RFCs print, as PKCS#8: they are the same each time and protect nothing.
package enum PublishedKeys {
    /// Bob of RFC 7518, appendix C, as PKCS#8.
    package static let agreeing = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgVEmDZpDXXK8p8N0C
        ndsxs924q6nS1RXFASRl6BfUqdyhRANCAATB40nLYexwJIzoAQNMODThuI6+EWHL
        Ja84dB94X8/ExHvJZwjvgJUrU/jSVV/nK4Qe0EWIYosdN4pZSTlQDsnJ
        -----END PRIVATE KEY-----
        """
    /// The key of RFC 7516, appendix A.1, as PKCS#8.
    package static let wrapping = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQChqFQihbDQrS6w
        o245HofjCR/igFRcdPFG+BvjwT4FW/GR4M2NsLiF7ytRZwmhmZ2zaHszvSKYRWFF
        Tl2Mg1e2qWVcjgMWpwjUOCNP0t7A0PwxbYqt/dKmyT9mSgWeKVqQbKBPClne56wf
        48UAE0hRik6I3Xl2xBGSCvS8SHE33aLZqxs56dJl7JrHOIrvZTDGusqgTG/qRzm3
        BdOriH5AKEs6WfT+a1RnB+xFoxK0+zqZLpeuDGfFtaGiN/rre24RC54YL4UIx+tr
        foL2ScMUbMqw1rstkrZ2NiDIPclH8wH/g1Qlb9Oo5C3AdhvF6+gkCub4vlK2jCPM
        bL79urobAgMBAAECggEBAJC3bSI+hmw5LPwKQkk2ELXpXDbbZSojsj8zK1x3iPsp
        NRe/pKQ8WOPlmOTVleSp7WhHl0tY/NhN++ccYVjB18r42HnD0/X6cEfzPYFfJ/R6
        4dmp06Uw/dw7etsqVt8g7CcwZ0562LtYsFkYASqxGGOOqgGSKwNsQMJ5tl+7hkdY
        YIZKg6dFao95G0gs9V8nwrOvy3oQcLcRyMofEYqcuNKduJqDgG4MVcN68U/75bd1
        FXuFjtyZCTs5aVH/ik1SNj7YJvnQEcUxLRPonfuDia9IfivlRbN1Up3VUyM50sX8
        q4/CCy+jBv1L/GALu1SC0gd5TltPOfuKhNw84K044MkCgYEA1r52Xk46c+LsfB5P
        442p7atdPUrxQSy4mti/tZI3Mgf2EuFVbUoDBvaRQ+SWxkbkmoEzL7JXroSBjSrK
        3YIQgYdMgyAEPTPjXv/hI2/1eTSPVZfzL0lffNn03IXqWF5MDFuoUYE0hzb2vhrl
        N/rKrbfDIwUbTrjjgieRbwC6Cl0CgYEAwLb35x7hmQWZsWJmB/vle87ihgZ19S8l
        BEROLIsZG4ayZVe9Hi9gDVCOBmUDdaDYVTSNx/8Fyw1YYa9XGrGnDew00J28cRUo
        eBB/jKI1oma0Orv1T9aXIWxKwd4gvxFImOWr3QRL9KEBRzk2RatUBnmDZJTIAfwT
        s0g68UZHvtcCgYBkr5jATt2JSHSpHW1HvDxYe2iUPHcxn85OjCIW+B95DdKKt6xe
        Ob2BnkouExe+j67P4pQlYPFLmkVD8zR692jV0qJFONXD/Hg3KrJc8zmdQs+RylTz
        buuelnMAkql2FYCCqtcYoAQJAfRe3i1rOeOd3/NWkCZlmrrRY8wEx8py4QKBgA6t
        IH4CdQ3RRl4i70BGZ7ihDdFFJrCQcZI8nXN4+GWHQYjEQMvOsdLxwo8sHDJWGIOM
        qAuGGWvYTVXLI6gNxXoi9fa5PIOkJ9vU7dHI/Kqshac/bzQwVHwgIiVXhEjoyQ2T
        2B3R2PL9W/qPmdl+bby8fkwnpH+6Mcnig1Kilo4rAoGAVIMpMYbPf47dT1w/zDUX
        fPimsSegnMOA1zTaX7aGk/8urY6R8+ZW1FxU7AlWAyLWybqq6t16VFd7hQd0y6fl
        UK4SlOydB61gwanOsXGOAOv82cHq0E3eL4HrtZkUuKvnPrMnsUUFlfUdybVzxyjz
        9JF/XyaY14ardLSjf4L/FNY=
        -----END PRIVATE KEY-----
        """
}
